# The bot with its sandbox, without tests. The base is a named Debian, so that a rebuild changes no library unasked.
FROM python:3.11-slim-bookworm AS build
RUN pip install --no-cache-dir uv
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE manifest.yml ./
COPY bot ./bot
COPY agent_core ./agent_core
COPY mcp_local ./mcp_local
RUN uv sync --locked --no-default-groups --no-editable --compile-bytecode

FROM python:3.11-slim-bookworm
# npx and uvx start the servers of the fleet, which may need ffmpeg; Chromium reads pages made by scripts and prints
# reports, in the fonts below; tini ends what a dead server leaves behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates chromium chromium-sandbox ffmpeg \
        fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core nodejs npm tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/uv /usr/local/bin/uvx /usr/local/bin/
# Its home is the volume: what uvx and npx download is kept there. Its own code belongs to root.
RUN useradd --no-create-home --home-dir /data --uid 10001 agent && mkdir /data && chown agent /data
COPY --from=build /app/.venv /app/.venv
# The port is open inside the container; who may reach it is for `docker run --publish` to say.
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 WORKSPACES_ROOT=/data
ENV CONSOLE_HOST=0.0.0.0 CONSOLE_PORT=8898 CONSOLE_URL=http://127.0.0.1:8898
USER agent
WORKDIR /data
VOLUME /data
EXPOSE 8898
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"CONSOLE_PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["bot", "start"]

# The bot alone: no sandbox, no tests, no root.
FROM python:3.11-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE manifest.yml ./
COPY bot ./bot
COPY agent_core ./agent_core
COPY mcp_local ./mcp_local
RUN uv sync --locked --no-default-groups --no-editable --compile-bytecode

FROM python:3.11-slim
# npx and uvx start the servers of the fleet, ffmpeg is one's need, Chromium reads pages made by scripts,
# tini ends what a dead server leaves behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium chromium-sandbox ffmpeg nodejs npm tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/uv /usr/local/bin/uvx /usr/local/bin/
RUN useradd --create-home --uid 10001 agent && mkdir /data && chown agent /data
COPY --from=build --chown=agent /app/.venv /app/.venv
# /healthz is reached from outside the container; what else it holds is at WORKSPACES_ROOT.
ENV PATH=/app/.venv/bin:$PATH WORKSPACES_ROOT=/data PYTHONUNBUFFERED=1 CONSOLE_HOST=0.0.0.0 CONSOLE_PORT=8898
USER agent
WORKDIR /data
VOLUME /data
EXPOSE 8898
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"CONSOLE_PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["bot", "start"]

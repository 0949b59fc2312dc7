# The bot alone: no sandbox, no tests, no root.
FROM python:3.11-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY bot ./bot
COPY agent_core ./agent_core
COPY mcp_local ./mcp_local
RUN uv sync --locked --no-default-groups --no-editable --compile-bytecode

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 agent && mkdir /data && chown agent /data
COPY --from=build --chown=agent /app/.venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH WORKSPACES_ROOT=/data PYTHONUNBUFFERED=1
USER agent
WORKDIR /data
VOLUME /data
CMD ["bot", "start"]

# SPDX-License-Identifier: Apache-2.0
"""MCP on stdin and stdout, where each invalid line gets a reply.

The SDK logs a line that it cannot read and sends nothing: a client would wait.
"""

import json
import sys
from collections.abc import AsyncIterator
from typing import Any, Final

from threadmodel.extras import extra

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600


class Lines:
    """Messages from stdin. An invalid line is answered with an error."""

    def __init__(self) -> None:
        """Read nothing yet."""
        #: the stream to the client; set once it exists
        self.write: Any = None

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the messages."""
        stdin = extra("mcp", module="anyio").wrap_file(sys.stdin.buffer)
        async for line in stdin:
            text = line.decode(errors="replace")
            if not text.strip():
                continue
            failure = _failure(text)
            if failure is None:
                yield text
            else:
                await self._reply(*failure)

    async def _reply(self, code: int, message: str, identity: int | str | None) -> None:
        types = extra("mcp", module="mcp_types")
        error = types.ErrorData(code=code, message=message)
        reply = types.JSONRPCError(jsonrpc="2.0", id=identity, error=error)
        message_of = extra("mcp", module="mcp.shared.message").SessionMessage
        await self.write.send(message_of(reply))


def _failure(text: str) -> tuple[int, str, int | str | None] | None:
    """Return why a line is not a message: code, text, and the id that it gave."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as failure:
        return PARSE_ERROR, f"not JSON: {failure}"[:200], None
    adapter = extra("mcp", module="mcp_types").jsonrpc_message_adapter
    try:
        adapter.validate_json(text, by_name=False)
    except ValueError:
        identity = value.get("id") if isinstance(value, dict) else None
        if not isinstance(identity, str) and type(identity) is not int:
            identity = None
        return INVALID_REQUEST, "not a message of JSON-RPC 2.0", identity
    return None


def run(server: Any) -> None:
    """Serve until stdin ends."""
    extra("mcp", module="anyio").run(_serve, server)


async def _serve(server: Any) -> None:
    lines = Lines()
    stdio = extra("mcp", module="mcp.server.stdio").stdio_server
    lowlevel = server._lowlevel_server
    async with stdio(stdin=lines) as (read, write):
        lines.write = write
        await lowlevel.run(read, write, lowlevel.create_initialization_options())

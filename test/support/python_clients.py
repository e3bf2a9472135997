"""Buys one gift card as a client of the Python SDK or of fastmcp; says what happened as JSON."""

import asyncio
import json
import sys

asked = json.loads(sys.argv[1])
shown = []


async def by_sdk():
    from mcp import Client, StdioServerParameters
    from mcp.types import ElicitResult

    async def form(_context, params):
        shown.append(params.message)
        return ElicitResult(action="accept", content={"pay": True})

    server = asked["url"] or StdioServerParameters(**asked["stdio"])
    client = Client(server, mode=asked["mode"], elicitation_callback=form)
    async with client:
        return await purchase(client, client.protocol_version, (await client.list_tools()).tools)


async def by_fastmcp():
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async def form(message, response_type, _params, _context):
        shown.append(message)
        return response_type(pay=True)

    target = asked["url"] or StdioTransport(**asked["stdio"])
    client = Client(target, mode=asked["mode"], elicitation_handler=form)
    async with client:
        version = client.session.protocol_version
        return await purchase(client, version, await client.list_tools())


async def purchase(client, version, tools):
    async def call(name, args):
        result = await client.call_tool(name, args)
        return result.structured_content["result"]

    found = await call("searchProducts", {"country_code": "us", "q": "amazon"})
    made = await call("createOrder", asked["order"])
    order_id = made["order_id"]
    paid = None
    if "payOrder" in [tool.name for tool in tools]:
        paid = await call("payOrder", {"order_id": order_id, "max_amount": "26"})
    told = await call("getOrderStatus", {"order_id": order_id})
    return {
        "version": version,
        "brands": len(found["brands"]),
        "shown": shown,
        "transactions": len(paid["transactions"]) if paid else 0,
        "payment_state": told["payment_state"],
    }


clients = {"mcp": by_sdk, "fastmcp": by_fastmcp}
print(json.dumps(asyncio.run(clients[asked["library"]]())))

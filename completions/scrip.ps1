# PowerShell completion for scrip, written by: scrip completion powershell
Register-ArgumentCompleter -Native -CommandName scrip -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
    '' = @('brands', 'catalog', 'price', 'search', 'countries', 'currencies', 'vias', 'validate', 'inspect', 'order', 'wizard', 'pay', 'track', 'orders', 'wallet', 'policy', 'spend', 'sandbox', 'listen', 'mcp', 'doctor', 'config', 'profile', 'errors', 'schema', 'context', 'completion', 'help', '--version', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'brands' = @('--via', '--country', '--search', '--category', '--kind', '--min', '--max', '--sort', '--reverse', '--limit', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'catalog' = @('--via', '--coin', '--country', '--brand', '--family', '--kind', '--min', '--max', '--sort', '--reverse', '--limit', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'price' = @('--via', '--coin', '--country', '--brand', '--value', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'search' = @('--country', '--names-in', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'countries' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'currencies' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'vias' = @('--coin', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'validate' = @('--cart', '--to', '--email', '--value', '--quantity', '--country', '--brand', '--coin', '--network', '--payment-via', '--coupon', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'inspect' = @('--country', '--brand', '--to', '--email', '--value', '--max-amount', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'order' = @('--country', '--brand', '--value', '--to', '--email', '--note', '--max-amount', '--yes', '--dry-run', '--idempotency-key', '--allow-duplicate', '--timeout', '--no-wait', '--reveal', '--callback-url', '--cart', '--max-total', '--skip-invalid', '--concurrency', '--via', '--coin', '--network', '--payment-via', '--coupon', '--quantity', '--pay', '--open-account', '--refund-wallet', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wizard' = @('--type', '--country', '--brand', '--value', '--to', '--coin', '--network', '--email', '--resume', '--plain', '--max-amount', '--yes', '--no-wait', '--reveal', '--allow-duplicate', '--idempotency-key', '--timeout', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'pay' = @('--yes', '--max-amount', '--amount', '--missing', '--open-account', '--show', '--no-wait', '--timeout', '--reveal', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'track' = @('--all', '--follow', '--timeout', '--reveal', '--bell', '--exec', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders' = @('list', 'resume', 'export', 'show', 'reveal', 'forget', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders list' = @('--since', '--until', '--status', '--host', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders resume' = @('--all', '--timeout', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders export' = @('--since', '--until', '--status', '--host', '--reveal', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders show' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders reveal' = @('--output', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'orders forget' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet' = @('new', 'encrypt', 'change-passphrase', 'export', 'import', 'address', 'balance', 'fund', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet new' = @('--encrypt', '--weak-ok', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet encrypt' = @('--weak-ok', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet change-passphrase' = @('--new-passphrase-file', '--new-passphrase-fd', '--weak-ok', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet export' = @('--output', '--format', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet import' = @('--from-fd', '--account', '--path', '--no-derivation', '--phrase-passphrase-file', '--seed', '--encrypt', '--weak-ok', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet address' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet balance' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'wallet fund' = @('--usdc', '--sol', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'policy' = @('show', 'set', 'check', 'path', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'policy show' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'policy set' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'policy check' = @('--amount', '--host', '--to', '--kind', '--unattended', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'policy path' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'spend' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox' = @('pay', 'cancel', 'refund', 'resolve', 'close', 'clear', 'audit', 'webhooks', 'trigger', '--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox pay' = @('--amount', '--fail', '--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox cancel' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox refund' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox resolve' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox close' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox clear' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox audit' = @('--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox webhooks' = @('replay', '--state', '--limit', '--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox webhooks replay' = @('--state', '--limit', '--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'sandbox trigger' = @('--to', '--order', '--port', '--host', '--data', '--catalog', '--market', '--policy', '--facilitator', '--webhook-allow-private', '--strict-limits', '--payment-window', '--fault', '--seed', '--clock', '--agent-user-agent', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'listen' = @('--port', '--forward-to', '--forward-anywhere', '--secret-file', '--data', '--print', '--count', '--timeout', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'mcp' = @('install', 'uninstall', '--allow-pay', '--reveal-codes', '--http', '--port', '--agent-user-agent', '--manifest', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'mcp install' = @('claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', '--config', '--dry-run', '--yes', '--allow-pay', '--reveal-codes', '--allow-pay', '--reveal-codes', '--http', '--port', '--agent-user-agent', '--manifest', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'mcp uninstall' = @('claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', '--config', '--dry-run', '--yes', '--allow-pay', '--reveal-codes', '--http', '--port', '--agent-user-agent', '--manifest', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'doctor' = @('--repair', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config' = @('get', 'list', 'path', 'set', 'unset', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config get' = @('checkout_url', 'api_url', 'mcp_url', 'rpc_url', 'rpc_url_2', 'keypair', 'signer_command', 'signer_address', 'passphrase_file', 'partner_id', 'country', 'lang', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config list' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config path' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config set' = @('checkout_url', 'api_url', 'mcp_url', 'rpc_url', 'rpc_url_2', 'keypair', 'signer_command', 'signer_address', 'passphrase_file', 'partner_id', 'country', 'lang', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'config unset' = @('checkout_url', 'api_url', 'mcp_url', 'rpc_url', 'rpc_url_2', 'keypair', 'signer_command', 'signer_address', 'passphrase_file', 'partner_id', 'country', 'lang', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile' = @('add', 'use', 'list', 'show', 'remove', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile add' = @('--signer-address', '--country', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile use' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile list' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile show' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'profile remove' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'errors' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'schema' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'context' = @('--format', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'completion' = @('bash', 'zsh', 'fish', 'powershell', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--rpc-url-2', '--partner-id', '--keypair', '--signer-command', '--passphrase-file', '--passphrase-fd', '--lang', '--fields', '--template', '--json', '--ndjson', '--csv', '--no-input', '--verbose', '--help')
    'help' = @('brands', 'catalog', 'price', 'search', 'countries', 'currencies', 'vias', 'validate', 'inspect', 'order', 'wizard', 'pay', 'track', 'orders', 'wallet', 'policy', 'spend', 'sandbox', 'listen', 'mcp', 'doctor', 'config', 'profile', 'errors', 'schema', 'context', 'completion', 'exit-codes', 'environment', 'formatting', 'profiles', 'money')
  }
  $values = @{
    '--profile' = @()
    '--checkout-url' = @()
    '--api-url' = @()
    '--mcp-url' = @()
    '--rpc-url' = @()
    '--rpc-url-2' = @()
    '--partner-id' = @()
    '--signer-command' = @()
    '--passphrase-fd' = @()
    '--lang' = @()
    '--fields' = @()
    '--template' = @()
    '--via' = @('checkout', 'partner')
    '--country' = @()
    '--search' = @()
    '--category' = @('e-commerce', 'retail', 'electronics', 'food', 'groceries', 'games', 'entertainment', 'streaming', 'apparel_clothing', 'health_beauty', 'sports_fitness', 'travel_flights', 'home', 'e-money', 'e-sim', 'mobile_talk_time', 'mobile_credits', 'mobile_bundle', 'charity_donations', 'other_products')
    '--kind' = @('giftcard', 'mobile_topup', 'esim', 'other')
    '--min' = @()
    '--max' = @()
    '--sort' = @('name', 'category', 'min', 'max')
    '--limit' = @()
    '--coin' = @()
    '--brand' = @()
    '--family' = @()
    '--value' = @()
    '--names-in' = @()
    '--to' = @()
    '--email' = @()
    '--quantity' = @()
    '--network' = @()
    '--payment-via' = @()
    '--coupon' = @()
    '--max-amount' = @()
    '--note' = @()
    '--idempotency-key' = @()
    '--timeout' = @()
    '--callback-url' = @()
    '--max-total' = @()
    '--concurrency' = @()
    '--refund-wallet' = @()
    '--type' = @()
    '--amount' = @()
    '--follow' = @('sse', 'poll', 'auto')
    '--exec' = @()
    '--since' = @()
    '--until' = @()
    '--status' = @('completed', 'processing', 'failed', 'unknown', 'attention', 'unpaid', 'canceled', 'expired', 'refunded')
    '--host' = @()
    '--new-passphrase-fd' = @()
    '--format' = @('md', 'json')
    '--from-fd' = @()
    '--account' = @()
    '--path' = @()
    '--usdc' = @()
    '--sol' = @()
    '--port' = @()
    '--facilitator' = @()
    '--payment-window' = @()
    '--fault' = @()
    '--seed' = @()
    '--clock' = @()
    '--agent-user-agent' = @()
    '--state' = @()
    '--order' = @()
    '--forward-to' = @()
    '--print' = @('text', 'json')
    '--count' = @()
    '--signer-address' = @()
  }
  $live = @{
    'price' = 'products'
    'validate' = 'products'
    'inspect' = 'products'
    'order' = 'products'
    'pay' = 'orders'
    'track' = 'orders'
    'orders resume' = 'orders'
    'orders show' = 'orders'
    'orders reveal' = 'orders'
    'orders forget' = 'orders'
    'sandbox pay' = 'orders'
    'sandbox cancel' = 'orders'
    'sandbox refund' = 'orders'
    'sandbox resolve' = 'orders'
    'sandbox close' = 'orders'
    'sandbox clear' = 'orders'
    'profile use' = 'profiles'
    'profile show' = 'profiles'
    'profile remove' = 'profiles'
    'schema' = 'schema'
    '--profile' = 'profiles'
    '--country' = 'countries'
    '--coin' = 'coins'
    '--brand' = 'brands'
    '--family' = 'families'
    '--order' = 'orders'
  }
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.ToString() } })
  $path = ''
  foreach ($word in $typed | Select-Object -Skip 1) {
    $next = "$path $word".Trim()
    if ($commands.ContainsKey($next)) { $path = $next }
  }
  $previous = $typed | Select-Object -Last 1
  $isValue = $values.ContainsKey($previous)
  $kind = if ($isValue) { $live[$previous] } elseif (-not $wordToComplete.StartsWith('-')) { $live[$path] }
  if ($kind) {
    $before = @($typed | Select-Object -Skip 1)
    $begun = $wordToComplete.Trim([char[]]@("'", '"'))
    scrip completion --values $kind --shell powershell -- @before 2>$null | ForEach-Object {
      $value, $what = $_ -split "`t", 2
      if ($value.StartsWith($begun, [StringComparison]::OrdinalIgnoreCase)) {
        $text = if ($value -match '^[A-Za-z0-9][A-Za-z0-9._-]*$') { $value } else { "'" + [Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($what) { $what } else { $value }))
      }
    }
  }
  $choices = if ($isValue) { $values[$previous] } else { $commands[$path] }
  $choices | Where-Object { $_.StartsWith($wordToComplete, [StringComparison]::OrdinalIgnoreCase) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}

# PowerShell completion for scrip, written by: scrip completion powershell
Register-ArgumentCompleter -Native -CommandName scrip -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
    '' = @('brands', 'catalog', 'price', 'countries', 'order', 'track', 'orders', 'wallet', 'sandbox', 'errors', 'completion', '--version', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'brands' = @('--country', '--search', '--category', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'catalog' = @('--country', '--brand', '--family', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'price' = @('--country', '--brand', '--value', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'countries' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'order' = @('--country', '--brand', '--to', '--email', '--value', '--max-amount', '--yes', '--no-wait', '--timeout', '--idempotency-key', '--dry-run', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'track' = @('--timeout', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'orders' = @('list', 'show', 'resume', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'orders list' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'orders show' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'orders resume' = @('--all', '--timeout', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet' = @('new', 'import', 'address', 'balance', 'fund', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet new' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet import' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet address' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet balance' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'wallet fund' = @('--usdc', '--sol', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'sandbox' = @('--port', '--host', '--data', '--catalog', '--facilitator', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'errors' = @('--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
    'completion' = @('bash', 'zsh', 'fish', 'powershell', '--profile', '--checkout-url', '--api-url', '--mcp-url', '--rpc-url', '--keypair', '--json', '--no-input', '--verbose', '--help')
  }
  $values = @{
    '--profile' = @()
    '--checkout-url' = @()
    '--api-url' = @()
    '--mcp-url' = @()
    '--rpc-url' = @()
    '--country' = @()
    '--search' = @()
    '--category' = @('e-commerce', 'retail', 'electronics', 'food', 'groceries', 'games', 'entertainment', 'streaming', 'apparel_clothing', 'health_beauty', 'sports_fitness', 'travel_flights', 'home', 'e-money', 'e-sim', 'mobile_talk_time', 'mobile_credits', 'mobile_bundle', 'charity_donations', 'other_products')
    '--brand' = @()
    '--family' = @()
    '--value' = @()
    '--to' = @()
    '--email' = @()
    '--max-amount' = @()
    '--timeout' = @()
    '--idempotency-key' = @()
    '--usdc' = @()
    '--sol' = @()
    '--port' = @()
    '--host' = @()
    '--facilitator' = @()
  }
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $path = ''
  foreach ($word in $typed | Select-Object -Skip 1) {
    $next = "$path $word".Trim()
    if ($commands.ContainsKey($next)) { $path = $next }
  }
  $previous = $typed | Select-Object -Last 1
  $choices = if ($values.ContainsKey($previous)) { $values[$previous] } else { $commands[$path] }
  $choices | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}

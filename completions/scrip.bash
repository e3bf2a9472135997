# bash completion for scrip, written by: scrip completion bash
_scrip() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${path:+$path }$word" in
      "brands"|"catalog"|"price"|"countries"|"order"|"track"|"orders"|"orders list"|"orders show"|"orders resume"|"wallet"|"wallet new"|"wallet import"|"wallet address"|"wallet balance"|"wallet fund"|"sandbox"|"errors"|"completion") path="${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
    --profile) return ;;
    --checkout-url) return ;;
    --api-url) return ;;
    --mcp-url) return ;;
    --rpc-url) return ;;
    --keypair) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --country) return ;;
    --search) return ;;
    --category) COMPREPLY=($(compgen -W "e-commerce retail electronics food groceries games entertainment streaming apparel_clothing health_beauty sports_fitness travel_flights home e-money e-sim mobile_talk_time mobile_credits mobile_bundle charity_donations other_products" -- "$current")); return ;;
    --brand) return ;;
    --family) return ;;
    --value) return ;;
    --to) return ;;
    --email) return ;;
    --max-amount) return ;;
    --timeout) return ;;
    --idempotency-key) return ;;
    --usdc) return ;;
    --sol) return ;;
    --port) return ;;
    --host) return ;;
    --data) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --catalog) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --facilitator) return ;;
  esac
  case "$path" in
    "") COMPREPLY=($(compgen -W "brands catalog price countries order track orders wallet sandbox errors completion --version --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "brands") COMPREPLY=($(compgen -W "--country --search --category --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "catalog") COMPREPLY=($(compgen -W "--country --brand --family --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "price") COMPREPLY=($(compgen -W "--country --brand --value --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "countries") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "order") COMPREPLY=($(compgen -W "--country --brand --to --email --value --max-amount --yes --no-wait --timeout --idempotency-key --dry-run --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "track") COMPREPLY=($(compgen -W "--timeout --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "orders") COMPREPLY=($(compgen -W "list show resume --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "orders list") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "orders show") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "orders resume") COMPREPLY=($(compgen -W "--all --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "wallet") COMPREPLY=($(compgen -W "new import address balance fund --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "wallet new") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "wallet import") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current") $(compgen -f -- "$current")) ;;
    "wallet address") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "wallet balance") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "wallet fund") COMPREPLY=($(compgen -W "--usdc --sol --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "sandbox") COMPREPLY=($(compgen -W "--port --host --data --catalog --facilitator --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "errors") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
    "completion") COMPREPLY=($(compgen -W "bash zsh fish powershell --profile --checkout-url --api-url --mcp-url --rpc-url --keypair --json --no-input --verbose --help" -- "$current")) ;;
  esac
}
complete -o filenames -F _scrip scrip

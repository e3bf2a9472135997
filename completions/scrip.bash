# bash completion for scrip, written by: scrip completion bash
_scrip() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${path:+$path }$word" in
      "brands"|"catalog"|"price"|"search"|"countries"|"currencies"|"vias"|"validate"|"inspect"|"order"|"wizard"|"pay"|"track"|"orders"|"orders list"|"orders resume"|"orders show"|"orders reveal"|"orders forget"|"wallet"|"wallet new"|"wallet encrypt"|"wallet change-passphrase"|"wallet export"|"wallet import"|"wallet address"|"wallet balance"|"wallet fund"|"policy"|"policy show"|"policy set"|"policy check"|"policy path"|"spend"|"sandbox"|"sandbox pay"|"sandbox cancel"|"sandbox refund"|"sandbox resolve"|"sandbox close"|"sandbox clear"|"sandbox audit"|"sandbox webhooks"|"sandbox webhooks replay"|"mcp"|"mcp install"|"mcp uninstall"|"doctor"|"errors"|"schema"|"context"|"completion") path="${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
    --profile) return ;;
    --checkout-url) return ;;
    --api-url) return ;;
    --mcp-url) return ;;
    --rpc-url) return ;;
    --rpc-url-2) return ;;
    --partner-id) return ;;
    --keypair) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --signer-command) return ;;
    --passphrase-file) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --passphrase-fd) return ;;
    --fields) return ;;
    --template) return ;;
    --via) COMPREPLY=($(compgen -W "checkout partner" -- "$current")); return ;;
    --country) return ;;
    --search) return ;;
    --category) COMPREPLY=($(compgen -W "e-commerce retail electronics food groceries games entertainment streaming apparel_clothing health_beauty sports_fitness travel_flights home e-money e-sim mobile_talk_time mobile_credits mobile_bundle charity_donations other_products" -- "$current")); return ;;
    --kind) return ;;
    --min) return ;;
    --max) return ;;
    --sort) COMPREPLY=($(compgen -W "name category min max" -- "$current")); return ;;
    --limit) return ;;
    --coin) return ;;
    --brand) return ;;
    --family) return ;;
    --value) return ;;
    --lang) return ;;
    --cart) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --to) return ;;
    --email) return ;;
    --quantity) return ;;
    --network) return ;;
    --payment-via) return ;;
    --coupon) return ;;
    --max-amount) return ;;
    --refund-wallet) return ;;
    --timeout) return ;;
    --idempotency-key) return ;;
    --type) return ;;
    --amount) return ;;
    --follow) COMPREPLY=($(compgen -W "sse poll auto" -- "$current")); return ;;
    --output) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --new-passphrase-file) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --new-passphrase-fd) return ;;
    --format) COMPREPLY=($(compgen -W "md json" -- "$current")); return ;;
    --from-fd) return ;;
    --account) return ;;
    --path) return ;;
    --phrase-passphrase-file) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --usdc) return ;;
    --sol) return ;;
    --host) return ;;
    --port) return ;;
    --data) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --catalog) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --market) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --policy) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --facilitator) return ;;
    --payment-window) return ;;
    --fault) return ;;
    --seed) return ;;
    --clock) return ;;
    --agent-user-agent) return ;;
    --state) return ;;
    --config) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$path" in
    "") COMPREPLY=($(compgen -W "brands catalog price search countries currencies vias validate inspect order wizard pay track orders wallet policy spend sandbox mcp doctor errors schema context completion --version --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "brands") COMPREPLY=($(compgen -W "--via --country --search --category --kind --min --max --sort --reverse --limit --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "catalog") COMPREPLY=($(compgen -W "--via --coin --country --brand --family --kind --min --max --sort --reverse --limit --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "price") COMPREPLY=($(compgen -W "--via --coin --country --brand --value --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "search") COMPREPLY=($(compgen -W "--country --lang --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "countries") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "currencies") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "vias") COMPREPLY=($(compgen -W "--coin --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "validate") COMPREPLY=($(compgen -W "--cart --to --email --value --quantity --country --brand --coin --network --payment-via --coupon --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "inspect") COMPREPLY=($(compgen -W "--country --brand --to --email --value --max-amount --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "order") COMPREPLY=($(compgen -W "--via --coin --network --payment-via --coupon --country --brand --to --email --value --quantity --pay --open-account --refund-wallet --max-amount --yes --no-wait --timeout --idempotency-key --reveal --allow-duplicate --dry-run --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wizard") COMPREPLY=($(compgen -W "--type --country --brand --value --to --coin --network --email --resume --plain --max-amount --yes --no-wait --reveal --allow-duplicate --idempotency-key --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "pay") COMPREPLY=($(compgen -W "--yes --max-amount --amount --missing --open-account --show --no-wait --timeout --reveal --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "track") COMPREPLY=($(compgen -W "--follow --timeout --reveal --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders") COMPREPLY=($(compgen -W "list resume show reveal forget --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders list") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders resume") COMPREPLY=($(compgen -W "--all --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders show") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders reveal") COMPREPLY=($(compgen -W "--output --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "orders forget") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet") COMPREPLY=($(compgen -W "new encrypt change-passphrase export import address balance fund --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet new") COMPREPLY=($(compgen -W "--encrypt --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet encrypt") COMPREPLY=($(compgen -W "--weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet change-passphrase") COMPREPLY=($(compgen -W "--new-passphrase-file --new-passphrase-fd --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet export") COMPREPLY=($(compgen -W "--output --format --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet import") COMPREPLY=($(compgen -W "--from-fd --account --path --no-derivation --phrase-passphrase-file --seed --encrypt --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current") $(compgen -f -- "$current")) ;;
    "wallet address") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet balance") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "wallet fund") COMPREPLY=($(compgen -W "--usdc --sol --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "policy") COMPREPLY=($(compgen -W "show set check path --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "policy show") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "policy set") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "policy check") COMPREPLY=($(compgen -W "--amount --host --to --kind --unattended --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "policy path") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "spend") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox") COMPREPLY=($(compgen -W "pay cancel refund resolve close clear audit webhooks --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox pay") COMPREPLY=($(compgen -W "--amount --fail --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox cancel") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox refund") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox resolve") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox close") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox clear") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox audit") COMPREPLY=($(compgen -W "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox webhooks") COMPREPLY=($(compgen -W "replay --state --limit --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "sandbox webhooks replay") COMPREPLY=($(compgen -W "--state --limit --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "mcp") COMPREPLY=($(compgen -W "install uninstall --allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "mcp install") COMPREPLY=($(compgen -W "claude-desktop claude-code cursor vscode codex --config --dry-run --yes --allow-pay --reveal-codes --allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "mcp uninstall") COMPREPLY=($(compgen -W "claude-desktop claude-code cursor vscode codex --config --dry-run --yes --allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "doctor") COMPREPLY=($(compgen -W "--repair --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "errors") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "schema") COMPREPLY=($(compgen -W "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "context") COMPREPLY=($(compgen -W "--format --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
    "completion") COMPREPLY=($(compgen -W "bash zsh fish powershell --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --fields --template --json --ndjson --csv --no-input --verbose --help" -- "$current")) ;;
  esac
}
complete -o filenames -F _scrip scrip

# bash completion for scrip, written by: scrip completion bash
_scrip_lines() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_scrip_live() {
  _scrip_lines < <(command scrip completion --values "$1" --shell bash --breaks "$COMP_WORDBREAKS" -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
_scrip_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}
_scrip_paths() {
  compopt -o filenames 2>/dev/null
  _scrip_lines < <(compgen "$1" -- "$current")
}
_scrip() {
  local current="${COMP_WORDS[COMP_CWORD]}" at=$((COMP_CWORD - 1)) previous path="" word
  COMPREPLY=()
  while [[ $at -gt 1 && ${COMP_WORDS[at]} != --* && ( ${COMP_WORDS[at]} == [:=@]* || ${COMP_WORDS[at+1]} == [:=@]* ) ]]; do
    at=$((at - 1))
  done
  previous="${COMP_WORDS[at]}"
  [[ $current == [:=@] ]] && current=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${path:+$path }$word" in
      "brands"|"catalog"|"price"|"search"|"countries"|"currencies"|"vias"|"validate"|"inspect"|"order"|"wizard"|"pay"|"track"|"orders"|"orders list"|"orders resume"|"orders export"|"orders show"|"orders reveal"|"orders forget"|"open"|"wallet"|"wallet new"|"wallet encrypt"|"wallet change-passphrase"|"wallet export"|"wallet import"|"wallet address"|"wallet balance"|"wallet fund"|"policy"|"policy show"|"policy set"|"policy check"|"policy path"|"spend"|"sandbox"|"sandbox pay"|"sandbox cancel"|"sandbox refund"|"sandbox resolve"|"sandbox close"|"sandbox clear"|"sandbox audit"|"sandbox webhooks"|"sandbox webhooks replay"|"sandbox trigger"|"listen"|"mcp"|"mcp install"|"mcp uninstall"|"doctor"|"debug"|"debug bundle"|"config"|"config get"|"config list"|"config path"|"config set"|"config unset"|"profile"|"profile add"|"profile use"|"profile list"|"profile show"|"profile remove"|"errors"|"schema"|"context"|"completion"|"help") path="${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
    --profile) _scrip_live profiles; return ;;
    --checkout-url) :; return ;;
    --api-url) :; return ;;
    --mcp-url) :; return ;;
    --rpc-url) :; return ;;
    --rpc-url-2) :; return ;;
    --partner-id) :; return ;;
    --keypair) _scrip_paths -f; return ;;
    --signer-command) :; return ;;
    --passphrase-file) _scrip_paths -f; return ;;
    --passphrase-fd) :; return ;;
    --lang) :; return ;;
    --color) _scrip_words "auto always never"; return ;;
    --fields) :; return ;;
    --template) :; return ;;
    --via) _scrip_words "checkout partner"; return ;;
    --country) _scrip_live countries; return ;;
    --search) :; return ;;
    --category) _scrip_words "e-commerce retail electronics food groceries games entertainment streaming apparel_clothing health_beauty sports_fitness travel_flights home e-money e-sim mobile_talk_time mobile_credits mobile_bundle charity_donations other_products"; return ;;
    --kind) _scrip_words "giftcard mobile_topup esim other"; return ;;
    --min) :; return ;;
    --max) :; return ;;
    --sort) _scrip_words "name min max"; return ;;
    --limit) :; return ;;
    --coin) _scrip_live coins; return ;;
    --brand) _scrip_live brands; return ;;
    --family) _scrip_live families; return ;;
    --value) :; return ;;
    --names-in) :; return ;;
    --cart) _scrip_paths -f; return ;;
    --to) :; return ;;
    --email) :; return ;;
    --quantity) :; return ;;
    --network) :; return ;;
    --payment-via) :; return ;;
    --coupon) :; return ;;
    --max-amount) :; return ;;
    --note) :; return ;;
    --idempotency-key) :; return ;;
    --timeout) :; return ;;
    --callback-url) :; return ;;
    --max-total) :; return ;;
    --concurrency) :; return ;;
    --refund-wallet) :; return ;;
    --type) :; return ;;
    --amount) :; return ;;
    --follow) _scrip_words "sse poll auto"; return ;;
    --exec) :; return ;;
    --since) :; return ;;
    --until) :; return ;;
    --status) _scrip_words "completed processing failed unknown attention unpaid canceled expired refunded"; return ;;
    --host) :; return ;;
    --output) _scrip_paths -f; return ;;
    --item) :; return ;;
    --new-passphrase-file) _scrip_paths -f; return ;;
    --new-passphrase-fd) :; return ;;
    --format) _scrip_words "md json"; return ;;
    --from-fd) :; return ;;
    --account) :; return ;;
    --path) :; return ;;
    --phrase-passphrase-file) _scrip_paths -f; return ;;
    --usdc) :; return ;;
    --sol) :; return ;;
    --port) :; return ;;
    --data) _scrip_paths -d; return ;;
    --catalog) _scrip_paths -f; return ;;
    --market) _scrip_paths -f; return ;;
    --policy) _scrip_paths -f; return ;;
    --facilitator) :; return ;;
    --payment-window) :; return ;;
    --fault) :; return ;;
    --seed) :; return ;;
    --clock) :; return ;;
    --agent-user-agent) :; return ;;
    --state) :; return ;;
    --order) _scrip_live orders; return ;;
    --forward-to) :; return ;;
    --secret-file) _scrip_paths -f; return ;;
    --print) _scrip_words "text json"; return ;;
    --count) :; return ;;
    --config) _scrip_paths -f; return ;;
    --signer-address) :; return ;;
  esac
  if [[ $current != -* ]]; then
    case "$path" in
      "") _scrip_words "brands catalog price search countries currencies vias validate inspect order wizard pay track orders open wallet policy spend sandbox listen mcp doctor debug config profile errors schema context completion help" ;;
      "price") _scrip_live products ;;
      "validate") _scrip_live products ;;
      "inspect") _scrip_live products ;;
      "order") _scrip_live products ;;
      "pay") _scrip_live orders ;;
      "track") _scrip_live orders ;;
      "orders") _scrip_words "list resume export show reveal forget" ;;
      "orders resume") _scrip_live orders ;;
      "orders show") _scrip_live orders ;;
      "orders reveal") _scrip_live orders ;;
      "orders forget") _scrip_live orders ;;
      "open") _scrip_live orders ;;
      "wallet") _scrip_words "new encrypt change-passphrase export import address balance fund" ;;
      "wallet import") _scrip_paths -f ;;
      "policy") _scrip_words "show set check path" ;;
      "sandbox") _scrip_words "pay cancel refund resolve close clear audit webhooks trigger" ;;
      "sandbox pay") _scrip_live orders ;;
      "sandbox cancel") _scrip_live orders ;;
      "sandbox refund") _scrip_live orders ;;
      "sandbox resolve") _scrip_live orders ;;
      "sandbox close") _scrip_live orders ;;
      "sandbox clear") _scrip_live orders ;;
      "sandbox webhooks") _scrip_words "replay" ;;
      "sandbox trigger") _scrip_words "checkout.processing checkout.completed checkout.failed checkout.expired partner.waiting partner.payment-seen partner.underpaid partner.paid partner.done partner.manual-action partner.refunded partner.expired partner.paid-late partner.canceled order.updated" ;;
      "mcp") _scrip_words "install uninstall" ;;
      "mcp install") _scrip_words "claude-desktop claude-code cursor vscode codex" ;;
      "mcp uninstall") _scrip_words "claude-desktop claude-code cursor vscode codex" ;;
      "debug") _scrip_words "bundle" ;;
      "config") _scrip_words "get list path set unset" ;;
      "config get") _scrip_words "checkout_url api_url mcp_url rpc_url rpc_url_2 keypair signer_command signer_address passphrase_file partner_id country lang" ;;
      "config set") _scrip_words "checkout_url api_url mcp_url rpc_url rpc_url_2 keypair signer_command signer_address passphrase_file partner_id country lang" ;;
      "config unset") _scrip_words "checkout_url api_url mcp_url rpc_url rpc_url_2 keypair signer_command signer_address passphrase_file partner_id country lang" ;;
      "profile") _scrip_words "add use list show remove" ;;
      "profile use") _scrip_live profiles ;;
      "profile show") _scrip_live profiles ;;
      "profile remove") _scrip_live profiles ;;
      "schema") _scrip_live schema ;;
      "completion") _scrip_words "bash zsh fish powershell" ;;
      "help") _scrip_words "brands catalog price search countries currencies vias validate inspect order wizard pay track orders open wallet policy spend sandbox listen mcp doctor debug config profile errors schema context completion exit-codes environment formatting profiles money" ;;
    esac
    [[ ${#COMPREPLY[@]} -gt 0 || -n $current ]] && return
  fi
  case "$path" in
    "") _scrip_words "brands catalog price search countries currencies vias validate inspect order wizard pay track orders open wallet policy spend sandbox listen mcp doctor debug config profile errors schema context completion help --version --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "brands") _scrip_words "--via --country --search --category --kind --min --max --sort --reverse --limit --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "catalog") _scrip_words "--via --coin --country --brand --family --search --kind --min --max --sort --reverse --limit --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "price") _scrip_words "--via --coin --country --brand --value --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "search") _scrip_words "--country --names-in --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "countries") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "currencies") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "vias") _scrip_words "--coin --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "validate") _scrip_words "--cart --to --email --value --quantity --country --brand --coin --network --payment-via --coupon --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "inspect") _scrip_words "--country --brand --to --email --value --max-amount --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "order") _scrip_words "--country --brand --value --to --email --note --max-amount --yes --dry-run --idempotency-key --allow-duplicate --timeout --no-wait --reveal --callback-url --cart --max-total --skip-invalid --concurrency --via --coin --network --payment-via --coupon --quantity --pay --open-account --refund-wallet --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wizard") _scrip_words "--type --country --brand --value --to --coin --network --email --resume --plain --max-amount --yes --no-wait --reveal --allow-duplicate --idempotency-key --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "pay") _scrip_words "--yes --max-amount --amount --missing --open-account --show --no-wait --timeout --reveal --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "track") _scrip_words "--all --follow --timeout --reveal --bell --exec --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders list") _scrip_words "--since --until --status --host --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders resume") _scrip_words "--all --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders export") _scrip_words "--since --until --status --host --reveal --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders show") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders reveal") _scrip_words "--output --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "orders forget") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "open") _scrip_words "--redeem --item --print --yes --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet new") _scrip_words "--encrypt --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet encrypt") _scrip_words "--weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet change-passphrase") _scrip_words "--new-passphrase-file --new-passphrase-fd --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet export") _scrip_words "--output --format --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet import") _scrip_words "--from-fd --account --path --no-derivation --phrase-passphrase-file --seed --encrypt --weak-ok --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet address") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet balance") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "wallet fund") _scrip_words "--usdc --sol --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "policy") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "policy show") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "policy set") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "policy check") _scrip_words "--amount --host --to --kind --unattended --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "policy path") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "spend") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox pay") _scrip_words "--amount --fail --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox cancel") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox refund") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox resolve") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox close") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox clear") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox audit") _scrip_words "--port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox webhooks") _scrip_words "--state --limit --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox webhooks replay") _scrip_words "--state --limit --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "sandbox trigger") _scrip_words "--to --order --port --host --data --catalog --market --policy --facilitator --webhook-allow-private --strict-limits --payment-window --fault --seed --clock --agent-user-agent --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "listen") _scrip_words "--port --forward-to --forward-anywhere --secret-file --data --print --count --timeout --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "mcp") _scrip_words "--allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "mcp install") _scrip_words "--config --dry-run --yes --allow-pay --reveal-codes --allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "mcp uninstall") _scrip_words "--config --dry-run --yes --allow-pay --reveal-codes --http --port --agent-user-agent --manifest --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "doctor") _scrip_words "--repair --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "debug") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "debug bundle") _scrip_words "--output --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config get") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config list") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config path") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config set") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "config unset") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile add") _scrip_words "--signer-address --country --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile use") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile list") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile show") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "profile remove") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "errors") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "schema") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "context") _scrip_words "--format --profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "completion") _scrip_words "--profile --checkout-url --api-url --mcp-url --rpc-url --rpc-url-2 --partner-id --keypair --signer-command --passphrase-file --passphrase-fd --lang --color --fields --template --json --ndjson --csv --no-pager --no-input --verbose --help" ;;
    "help") _scrip_words "" ;;
  esac
}
complete -F _scrip scrip

/** The completion script of PowerShell. */
import {
  argumentWords,
  type CommandNode,
  everyNode,
  optionWords,
  type Values,
  valueOptions,
} from './tree.ts';

/** What is asked for is inserted between single quotes, where it needs any: nothing expands there. */
export function powershell(root: CommandNode): string {
  const nodes = everyNode(root).map(
    (node) => `    '${node.path}' = @(${quoted([...argumentWords(node), ...optionWords(node)])})`,
  );
  const live = [
    ...everyNode(root).flatMap((node) => liveRow(node.path, node.argument)),
    ...valueOptions(root).flatMap(({ names, values }) =>
      names.flatMap((name) => liveRow(name, values)),
    ),
  ];
  const values = valueOptions(root).flatMap(({ names, values: of }) =>
    of.kind === 'file' || of.kind === 'folder'
      ? []
      : names.map((name) => `    '${name}' = @(${quoted(of.kind === 'words' ? of.words : [])})`),
  );
  return `# PowerShell completion for scrip, written by: scrip completion powershell
Register-ArgumentCompleter -Native -CommandName scrip -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
${nodes.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $live = @{
${live.join('\n')}
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
      $value, $what = $_ -split "\`t", 2
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
`;
}

function liveRow(name: string, values: Values | undefined): readonly string[] {
  return values?.kind === 'live' ? [`    '${name}' = '${values.of}'`] : [];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "''")}'`).join(', ');
}

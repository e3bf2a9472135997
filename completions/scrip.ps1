# PowerShell completion for scrip, written by: scrip completion powershell
Register-ArgumentCompleter -Native -CommandName scrip -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = $commandAst.Extent.Text
  $at = [Math]::Max(0, $cursorPosition - $commandAst.Extent.StartOffset)
  $typed = $typed.PadRight($at)
  $marked = $typed.Substring(0, $at) + [char]0 + $typed.Substring($at)
  $line = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($marked))
  $answer = scrip completion --values line --shell powershell --line $line 2>$null | Out-String | ConvertFrom-Json
  if ($answer.kind -ne 'values') { return }
  if (-not $answer.choices) { return '' }
  foreach ($one in $answer.choices) {
    [System.Management.Automation.CompletionResult]::new($one.text, $one.list, 'ParameterValue', $one.tip)
  }
}

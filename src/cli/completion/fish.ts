/**
 * The completion script for fish, which splits a command's output at line breaks only, and escapes values
 * when it inserts them. Fish evaluates three rules at each Tab; the program runs once and its answer is
 * reused, until a command has run.
 */
export const FISH = `# fish completion for scrip, written by: scrip completion fish
function __scrip_ask
    set -l line (commandline -C) (commandline -b | string collect)
    test "$line" = "$__scrip_line"; and return
    set -l before (commandline -opc)
    set -l all (commandline -op)
    set -l word (commandline -t)
    set -l current (commandline -ct)
    set -l next (count $before)
    test -n "$word"; and set next (math $next + 1)
    set -l after
    test (count $all) -gt $next; and set after $all[(math $next + 1)..]
    set -g __scrip_answer (command scrip completion --values line --shell fish --at (math (count $before) - 1) -- $before[2..] "$current" $after 2>/dev/null)
    set -g __scrip_line "$line"
end
function __scrip_forget --on-event fish_postexec
    set -e __scrip_line
end
function __scrip_is
    __scrip_ask
    test "$__scrip_answer[1]" = $argv[1]
end
function __scrip_folders
    set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
    for folder in (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' (commandline -ct)) '')
        echo "$option$folder"
    end
end
complete -c scrip -n '__scrip_is :files' -F
complete -c scrip -n '__scrip_is :folders' -f -a '(__scrip_folders)'
complete -c scrip -n 'not __scrip_is :files' -f -k -a '(string join -- \\n $__scrip_answer[2..])'
`;

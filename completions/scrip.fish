# fish completion for scrip, written by: scrip completion fish
function __scrip_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l all (commandline -op)
    set -l next (count $before)
    test -n (commandline -t | string collect --allow-empty); and set next (math $next + 1)
    set -l after
    test (count $all) -gt $next; and set after $all[(math $next + 1)..]
    set -l answer (command scrip completion --values line --shell fish --at (math (count $before) - 1) -- $before[2..] "$current" $after 2>/dev/null)
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$answer[1]"
        case :files
            for found in (complete -C "'' $path")
                echo $option$found
            end
        case :folders
            for found in (__fish_complete_directories "$path" '')
                echo $option$found
            end
        case '*'
            string join -- \n $answer[2..]
    end
end
complete -c scrip -f -k -a '(__scrip_complete)'

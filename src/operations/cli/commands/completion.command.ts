import { Argument, type Command } from 'commander';
import { examples } from '../help';

const SHELLS = ['bash', 'zsh'] as const;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'for which shell').choices(SHELLS))
    .description('Print a script that completes commands and options')
    .addHelpText(
      'after',
      examples('completion bash > /etc/bash_completion.d/gateway', 'completion zsh > ~/.gateway-completion.zsh'),
    )
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(SCRIPTS[shell](casesOf(program)));
    });
}

const SCRIPTS = { bash: bashScript, zsh: zshScript };

/** `-o default`: if no word matches, complete file names. */
function bashScript(cases: Cases): string {
  return `_gateway() {
  local typed='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) typed="$typed $word" ;; esac
  done
  case "\${typed# }" in
${cases((words) => `words='${words}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gateway gateway
`;
}

/** A separate script: under zsh's bashcompinit, the arrays of a bash completion begin at another index. */
function zshScript(cases: Cases): string {
  return `(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }
_gateway() {
  local typed='' word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || typed="$typed $word"
  done
  case "\${typed# }" in
${cases((words) => `candidates=(${words})`)}
  esac
  compadd -a candidates || _default
}
compdef _gateway gateway
`;
}

/** The branches of the script's `case`: longer commands first, because words after a command may be values of its options. */
type Cases = (assign: (words: string) => string) => string;

function casesOf(program: Command): Cases {
  const branches = wordsByPath(program).toSorted(([one], [other]) => other.length - one.length);
  return (assign) =>
    branches
      .map(([path, words]) => {
        const pattern = path.length === 0 ? '*' : `'${path.join(' ')}'|'${path.join(' ')} '*`;
        return `    ${pattern}) ${assign(words.join(' '))} ;;`;
      })
      .join('\n');
}

/** The commands and options that may follow each command. */
function wordsByPath(command: Command, path: readonly string[] = []): [path: readonly string[], words: string[]][] {
  const options = [...command.options, ...command.createHelp().visibleGlobalOptions(command)].flatMap(
    ({ long }) => long ?? [],
  );
  const names = command.commands.map((inner) => inner.name());
  return [
    [path, [...names, ...new Set(options), '--help']],
    ...command.commands.flatMap((inner) => wordsByPath(inner, [...path, inner.name()])),
  ];
}

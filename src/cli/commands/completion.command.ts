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
      process.stdout.write(scriptFor(shell, program));
    });
}

/** zsh runs completions of bash. */
function scriptFor(shell: (typeof SHELLS)[number], program: Command): string {
  const prelude = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  const cases = wordsByPath(program).map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `${prelude}_gateway() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="$path $word" ;; esac
  done
  case "\${path# }" in
${cases.join('\n')}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gateway gateway
`;
}

/** What may follow each command: its commands and options. */
function wordsByPath(command: Command, path: readonly string[] = []): [path: string, words: string[]][] {
  const options = [...command.options, ...command.createHelp().visibleGlobalOptions(command)].flatMap(
    ({ long }) => long ?? [],
  );
  const names = command.commands.map((inner) => inner.name());
  return [
    [path.join(' '), [...names, ...new Set(options), '--help']],
    ...command.commands.flatMap((inner) => wordsByPath(inner, [...path, inner.name()])),
  ];
}

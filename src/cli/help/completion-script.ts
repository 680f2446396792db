import { shellQuote } from '../../lib/shell-word.ts';
/** The supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** `long` is for example `--json`. `choices` are the allowed values; empty if any text is allowed. */
export type CompletedOption = { long: string; takesValue: boolean; choices: readonly string[]; says: string };

/** `words` are the words after `rubrica`, separated by spaces. */
export type CompletedCommand = {
  words: string;
  commands: { name: string; says: string }[];
  /** The allowed values of its arguments. */
  choices: readonly string[];
  takesArgument: boolean;
  options: CompletedOption[];
};

/** Returns the completion script for a shell. Where any text is allowed, it completes file names. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return SCRIPTS[shell](commands);
}

const SCRIPTS: Record<Shell, (commands: readonly CompletedCommand[]) => string> = { bash, zsh, fish };

function bash(commands: readonly CompletedCommand[]): string {
  return `# bash completion for rubrica
_rubrica_names() {
  case "$1" in
${cases(commands, namesOf)}
  esac
}
_rubrica_options() {
  case "$1" in
${cases(commands, ({ options }) => options.map(({ long }) => long))}
  esac
}
${valuesOf(commands)}
_rubrica() {
  local at='' word names i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    names=$'\\n'$(_rubrica_names "$at")$'\\n'
    [[ $word != -* && $names == *$'\\n'"$word"$'\\n'* ]] && at="\${at:+$at }$word"
  done
  word=\${COMP_WORDS[COMP_CWORD]}
  local previous=\${COMP_WORDS[COMP_CWORD-1]} offered
  offered=$(_rubrica_values "$at $previous")
  [[ -n $offered && $previous == -* ]] || offered=$(_rubrica_names "$at")
  [[ $word == -* ]] && offered=$(_rubrica_options "$at")
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o default -F _rubrica rubrica
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  return `#compdef rubrica
_rubrica_names() {
  case "$1" in
${cases(commands, (command) => [...command.commands.map(described), ...command.choices])}
  esac
}
_rubrica_options() {
  case "$1" in
${cases(commands, ({ options }) => options.map(({ long, says }) => described({ name: long, says })))}
  esac
}
${valuesOf(commands)}
_rubrica() {
  local at='' word i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    offered=(\${(f)"$(_rubrica_names "$at")"})
    [[ $word != -* && -n \${(M)offered:#\${word}(:*|)} ]] && at="\${at:+$at }$word"
  done
  offered=(\${=$(_rubrica_values "$at \${words[CURRENT-1]}")})
  if (( \${#offered} )) && [[ \${words[CURRENT-1]} == -* ]]; then
    compadd -a offered
    return
  fi
  if [[ \${words[CURRENT]} == -* ]]; then
    offered=(\${(f)"$(_rubrica_options "$at")"})
  else
    offered=(\${(f)"$(_rubrica_names "$at")"})
  fi
  if (( \${#offered} )); then
    _describe rubrica offered
  else
    _files
  fi
}
if [[ $funcstack[1] == _rubrica ]]; then
  _rubrica "$@"
else
  compdef _rubrica rubrica
fi
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const names = cases(commands, namesOf, (words) => `case ${shellQuote(words)}`, '');
  const lines = commands.flatMap((command) => {
    const at = `-n "__rubrica_at ${shellQuote(command.words)}"`;
    const says = (text: string) => `-d ${shellQuote(firstSentence(text))}`;
    return [
      ...command.commands.map((one) => `complete -c rubrica -f ${at} -a ${one.name} ${says(one.says)}`),
      ...command.choices.map((one) => `complete -c rubrica -f ${at} -a ${shellQuote(one)}`),
      ...command.options.map(({ long, takesValue, choices, says: text }) => {
        const values = choices.length > 0 ? ` -x -a ${shellQuote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c rubrica ${at} -l ${long.slice(2)}${values} ${says(text)}`;
      }),
    ];
  });
  return `# fish completion for rubrica
function __rubrica_names
  switch "$argv[1]"
${names}
  end
end
function __rubrica_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- $word (__rubrica_names "$at"); and set at (string trim "$at $word")
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** Returns one branch for each command that has completions. */
function cases(
  commands: readonly CompletedCommand[],
  offered: (command: CompletedCommand) => readonly string[],
  open = (words: string) => `${shellQuote(words)})`,
  end = ' ;;',
): string {
  return commands
    .map((command) => ({ words: command.words, texts: offered(command) }))
    .filter(({ texts }) => texts.length > 0)
    .map(
      ({ words, texts }) =>
        `    ${open(words)}${end === '' ? '\n     ' : ''} printf '%s\\n' ${texts.map(shellQuote).join(' ')}${end}`,
    )
    .join('\n');
}

function valuesOf(commands: readonly CompletedCommand[]): string {
  const branches = commands.flatMap(({ words, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ long, choices }) => `    ${shellQuote(`${words} ${long}`)}) echo ${shellQuote(choices.join(' '))} ;;`),
  );
  return `_rubrica_values() {\n  case "$1" in\n${branches.join('\n')}\n  esac\n}`;
}

function namesOf({ commands, choices }: CompletedCommand): string[] {
  return [...commands.map(({ name }) => name), ...choices];
}

/** Returns a word with its description in zsh's format. */
function described({ name, says }: { name: string; says: string }): string {
  return `${name.replaceAll(':', '\\:')}:${firstSentence(says)}`;
}

/** Returns the first sentence, to fit beside a word. */
function firstSentence(text: string): string {
  return text.split(/[;.:] |\n/, 1)[0] as string;
}

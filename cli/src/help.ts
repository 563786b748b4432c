import type { Commands, Description, Flags } from './command.ts';

const WIDTH = 100;

export function commandHelp(name: string, { about, args = [], usage, flags = {}, more }: Description): string {
  const placeholders = args.map((arg) => (arg.endsWith('?') ? ` [${arg.slice(0, -1)}]` : ` <${arg}>`)).join('');
  return [
    paragraphs(about),
    `Usage: ${name}${usage ?? placeholders} [flags]`,
    `Flags:\n${flagList({ ...flags, ...COMMON_FLAGS })}`,
    ...(more ? [more] : []),
  ].join('\n\n');
}

export function groupHelp(name: string, about: string, commands: Commands): string {
  const list = columns(Object.entries(commands).map(([command, { summary }]) => [command, summary]));
  return [
    about,
    `Usage: ${name} <command> [flags]`,
    `Commands:\n${list}`,
    `Flags:\n${flagList(COMMON_FLAGS)}`,
    `Run "${name} <command> --help" for more information about a command.`,
  ].join('\n\n');
}

const COMMON_FLAGS: Flags = { help: { about: 'Show this help.' }, version: { about: 'Show the version.' } };

const flagList = (flags: Flags) =>
  columns(Object.entries(flags).map(([name, { takes, about }]) => [takes ? `--${name} ${takes}` : `--${name}`, about]));

/** Two columns. The second is wrapped here, since a terminal would wrap it into the first. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length)));
  return rows
    .map(([name, text]) => {
      const lines = wrapped(text, WIDTH - left - 4).map((line) => `${' '.repeat(left + 4)}${line}`);
      const first = `  ${name.padEnd(left)}  `;
      if (name.length > left) return [`  ${name}`, ...lines].join('\n');
      return [first + (lines[0] ?? '').trimStart(), ...lines.slice(1)].join('\n').trimEnd();
    })
    .join('\n');
}

const paragraphs = (text: string) =>
  text
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : wrapped(line, WIDTH)))
    .join('\n');

/** A note such as `[default: 8080]` is never broken. */
const UNBROKEN = /\[(?:env|default): [^\]]*\]\S*|\S+/g;

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [word] of text.matchAll(UNBROKEN)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

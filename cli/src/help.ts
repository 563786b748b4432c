import type { Commands, Description, Flags } from './command.ts';

const WIDTH = 100;

export function commandHelp(name: string, { about, words = [], usage, flags = {}, more }: Description): string {
  const wanted = words.map((word) => (word.endsWith('?') ? ` [${word.slice(0, -1)}]` : ` <${word}>`)).join('');
  return [
    paragraphs(about),
    `Usage: ${name}${usage ?? wanted} [flags]`,
    `Flags:\n${flagList({ ...flags, ...EVERYWHERE })}`,
    ...(more ? [more] : []),
  ].join('\n\n');
}

export function groupHelp(name: string, about: string, commands: Commands): string {
  const list = columns(Object.entries(commands).map(([command, { summary }]) => [command, summary]));
  return [
    about,
    `Usage: ${name} <command> [flags]`,
    `Commands:\n${list}`,
    `Flags:\n${flagList(EVERYWHERE)}`,
    `"${name} <command> --help" tells more about one.`,
  ].join('\n\n');
}

const EVERYWHERE: Flags = { help: { about: 'This help.' }, version: { about: 'The version of Trackway.' } };

const flagList = (flags: Flags) =>
  columns(Object.entries(flags).map(([name, { takes, about }]) => [takes ? `--${name} ${takes}` : `--${name}`, about]));

/** Two columns, the second wrapped, so that a terminal does not wrap it into the first. */
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
    .flatMap((line) => wrapped(line, WIDTH))
    .join('\n');

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

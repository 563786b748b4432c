import { JSON_STYLE, samplesOf, written } from '../pages/reference/samples.js';
import type { DescribedField } from './fields.ts';
import { type Chapter, chapters, type DescribedOperation, type DescribedParameter } from './model.ts';
import { USUAL_ORIGIN } from './operation-section.ts';

/** The reference as Markdown, one file per chapter: docs/api of a release. */

const NOTE = '<!-- Generated from the API contract. -->';

/** Files by name. */
export function apiFiles(): Map<string, string> {
  return new Map([
    ['README.md', contents()],
    ...chapters().map((chapter): [string, string] => [`${chapter.slug}.md`, chapterFile(chapter)]),
  ]);
}

function contents(): string {
  const rows = chapters().map(
    ({ name, slug, operations }) => `| [${name}](${slug}.md) | ${operations.map(linkTo(slug)).join(', ')} |`,
  );
  return `${NOTE}

# The API

All operations, by chapter. A running server shows the same at \`/docs\`, where each can be tried, and serves it as OpenAPI at
\`/api/openapi.json\` and \`/v2/openapi.json\`. To begin with: [Your first call](../guides/first-call.md).

| Chapter | Operations |
|---|---|
${rows.join('\n')}
`;
}

const linkTo =
  (slug: string) =>
  ({ name }: DescribedOperation) =>
    `[${name}](${slug}.md#${name})`;

function chapterFile({ name, about, operations, objects }: Chapter): string {
  const index = operations.map(
    ({ name: id, method, path, summary }) => `| [${id}](#${id}) | \`${method} ${path}\` | ${summary} |`,
  );
  const described = objects.map(
    ({ id, about: meaning, fields }) =>
      `<a id="${id}"></a>\n\n### ${id}\n${meaning && `\n${meaning}\n`}\n${table(fields, false) || 'Any JSON.\n'}`,
  );
  return `${NOTE}

# ${name}
${about && `\n${about}\n`}
| Operation | Request | |
|---|---|---|
${index.join('\n')}

${operations.map(operationPart).join('\n')}${described.length > 0 ? `\n## Objects\n\n${described.join('\n')}` : ''}`;
}

function operationPart(operation: DescribedOperation): string {
  const { name, summary, method, path, alsoAt, about, access, parameters, body, answers, errors } = operation;
  const placed = (place: DescribedParameter['place']) => parameters.filter((one) => one.place === place);
  const part = (title: string, fields: readonly DescribedField[], isSent = true) =>
    fields.length > 0 ? `**${title}**\n\n${table(fields, isSent)}` : '';
  const inner = answers.flatMap(({ content }) =>
    content ? [part('Fields of the response', content.fields, false)] : [],
  );
  const parts = [
    `<a id="${name}"></a>\n\n## ${summary}`,
    `\`${method} ${path}\`${alsoAt ? `, also \`${method} ${alsoAt}\`` : ''}`,
    about,
    `Name: \`${name}\`. Access: ${access}`,
    part('Path', placed('path')),
    part('Query', placed('query')),
    part('Headers', placed('header')),
    body && (part(`Body${body.isRequired ? '' : ', optional'}`, body.fields) || `**Body**: ${body.type}`),
    `**Answers**\n\n${answers.map(answerLine).join('\n')}`,
    ...inner,
    `**Errors**\n\n${errors.map(({ status, about: meaning }) => `- ${status}: ${meaning}`).join('\n')}`,
    `**Example**\n\n\`\`\`sh\n${samplesOf(operation, operation.filled, USUAL_ORIGIN).curl}\n\`\`\``,
    exampleOfAnswer(operation),
  ];
  return `${parts
    .filter((text) => text)
    .map((text) => text!.trimEnd())
    .join('\n\n')}\n`;
}

const answerLine = ({ status, about, content }: DescribedOperation['answers'][number]) =>
  `- ${status}: ${about}${content ? ` ${capital(content.type)}.` : ''}`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function exampleOfAnswer({ answers }: DescribedOperation): string {
  const example = answers.find(({ content }) => content?.example !== undefined)?.content?.example;
  if (example === undefined) return '';
  if (typeof example === 'string') return `\`\`\`\n${example.trimEnd()}\n\`\`\``;
  return `\`\`\`json\n${written(example, JSON_STYLE)}\n\`\`\``;
}

function table(fields: readonly DescribedField[], isSent: boolean): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, type, isRequired, about }) =>
      `| \`${name}\` | ${type}${isSent && isRequired ? ', required' : ''} | ${about.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`,
  );
  return `| DescribedField | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

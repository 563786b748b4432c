import { samplesOf } from '../pages/reference/samples.js';
import type { DescribedField } from './fields.ts';
import { linkFrom } from './guides.ts';
import { codeBlock, coloured, escaped, inline as inlineWith, markdown } from './markdown.ts';
import type {
  DescribedAnswer,
  DescribedContent,
  DescribedObject,
  DescribedOperation,
  DescribedParameter,
} from './model.ts';

/** Server address in samples until the page fills in its own. */
export const USUAL_ORIGIN = 'http://127.0.0.1:8080';

/** Links are relative to docs/api. */
const LINKS = { link: (target: string) => linkFrom('api/README.md', target) };
const inline = (text: string) => inlineWith(text, LINKS);

/** An operation: its description on the left, a request and its response on the right. */
export function operationSection(operation: DescribedOperation): string {
  const { name, summary } = operation;
  return `<section class="operation" id="${name}" aria-labelledby="${name}-title" data-operation="${escaped(JSON.stringify(forScript(operation)))}">
<h2 id="${name}-title"><a class="anchor" href="#${name}">${escaped(summary)}</a></h2>
${address(operation)}
<div class="columns">
<div class="description">
${markdown(operation.about, { ...LINKS, deeper: 3, code: codeBlock }).html}
${facts(operation)}
${parameters(operation)}
${body(operation)}
${headers(operation)}
${answers(operation)}
${errors(operation)}
</div>
<div class="shown">
${request(operation)}
${operation.answers.map(answerExample).join('')}
</div>
</div>
</section>`;
}

function address({ method, path, alsoAt }: DescribedOperation): string {
  const also = alsoAt === undefined ? '' : ` <span class="also">also at <code>${escaped(alsoAt)}</code></span>`;
  return `<p class="address"><span class="method" data-method="${method}">${method}</span> <code>${withBreaks(path)}</code>${also}</p>`;
}

/** A long path may break after a slash. */
const withBreaks = (path: string) =>
  escaped(path)
    .replaceAll('/', '/<wbr>')
    .replace(/^\/<wbr>/, '/');

function facts({ name, access, asksFirst, kind, isInClient }: DescribedOperation): string {
  const client = kind === 'call' && isInClient ? `client.${name}()` : name;
  return `<p class="facts"><span><b>Access:</b> ${inline(access)}</span> <span><b>Name:</b> <code>${client}</code></span>${
    asksFirst ? ' <span class="careful">Deletes data or changes a device</span>' : ''
  }</p>`;
}

const parameters = ({ parameters: all }: DescribedOperation) =>
  fields('Path', placed(all, 'path'), true) + fields('Query', placed(all, 'query'), true);

const placed = (all: readonly DescribedParameter[], place: DescribedParameter['place']) =>
  all.filter((one) => one.place === place);

/** Headers are the same for many operations, so they are collapsed. */
function headers({ parameters: all }: DescribedOperation): string {
  const own = placed(all, 'header');
  if (own.length === 0) return '';
  const names = own.map(({ name }) => name).join(', ');
  return `<details class="more"><summary>Headers: ${names}</summary>${rowsOf(own, true)}</details>`;
}

function body({ body: sent }: DescribedOperation): string {
  if (sent === undefined) return '';
  if (sent.fields.length === 0) return `<h3>Body</h3><p>${inline(sent.type)}</p>`;
  return fields('Body', sent.fields, true);
}

function answers({ answers: all }: DescribedOperation): string {
  const rows = all.map(({ status, about, content }) => {
    const type = content ? `: ${inline(content.type)}` : '';
    return `<li><code class="status">${status}</code> ${inline(about)}${type && ` <span class="type">${type.slice(2)}</span>`}</li>`;
  });
  const inner = all.map(({ content }) =>
    content && content.fields.length > 0 ? fields(titleOf(content), content.fields) : '',
  );
  return `<h3>Answer</h3><ul class="answers">${rows.join('')}</ul>${inner.join('')}`;
}

const titleOf = ({ type }: DescribedContent) => (type === 'text/event-stream' ? 'Events' : 'Fields of the response');

function errors({ errors: all }: DescribedOperation): string {
  const rows = all.map(({ status, about }) => `<li><code class="status bad">${status}</code> ${inline(about)}</li>`);
  const statuses = all.map(({ status }) => status).join(', ');
  return `<details class="more"><summary>Errors: ${statuses}</summary><ul class="answers">${rows.join('')}</ul><p><a href="/docs/guides/errors">Errors</a></p></details>`;
}

/** The list of fields with a title. `isSent` marks required fields. */
export function fields(title: string, all: readonly DescribedField[], isSent = false): string {
  if (all.length === 0) return '';
  if (all.length <= MANY) return `<h3>${title}</h3>${rowsOf(all, isSent)}`;
  // Required fields first, then the first few of the others.
  const ordered = isSent ? [...all.filter((one) => one.isRequired), ...all.filter((one) => !one.isRequired)] : all;
  const first = Math.max(SHOWN, ordered.filter((one) => isSent && one.isRequired).length);
  const remaining = ordered.slice(first);
  return `<h3>${title}</h3>${rowsOf(ordered.slice(0, first), isSent)}<details class="more"><summary>${remaining.length} more fields</summary>${rowsOf(remaining, isSent)}</details>`;
}

/** Longer lists of fields are collapsed. */
const MANY = 10;
/** Fields that are always shown of a long list. */
const SHOWN = 6;

function rowsOf(all: readonly DescribedField[], isSent: boolean): string {
  const rows = all.map(({ name, type, isRequired, about }) => {
    const needed = isSent && isRequired ? ' <span class="required">required</span>' : '';
    return `<div><dt><code>${escaped(name)}</code> <span class="type">${inline(type)}</span>${needed}</dt><dd>${inline(about)}</dd></div>`;
  });
  return `<dl class="fields">${rows.join('')}</dl>`;
}

const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const;

function request(operation: DescribedOperation): string {
  const samples = samplesOf(operation, operation.filled, USUAL_ORIGIN);
  const languages = Object.entries(LANGUAGES).map(
    ([language, label]) =>
      `<button type="button" data-language="${language}" aria-pressed="${language === 'curl'}">${label}</button>`,
  );
  const form =
    operation.kind === 'socket'
      ? ''
      : `<details class="try scripted"><summary>Try it</summary><div class="form"></div></details>`;
  return `<div class="code request"><div class="code-head"><span class="languages scripted" role="group" aria-label="Language">${languages.join('')}</span></div><pre tabindex="0" role="region" aria-label="Request"><code>${coloured(samples.curl)}</code></pre></div>${form}`;
}

function answerExample({ status, content }: DescribedAnswer): string {
  if (content?.example === undefined) return '';
  const text = typeof content.example === 'string' ? content.example : JSON.stringify(content.example, null, 2);
  return `<div class="code answer"><div class="code-head"><span>Response ${status}</span></div><pre tabindex="0" role="region" aria-label="Response ${status}"><code>${coloured(text)}</code></pre></div>`;
}

/** Data that the page needs to build requests of an operation. */
function forScript(operation: DescribedOperation): object {
  const { name, kind, method, path, summary, auth, isInClient, asksFirst, filled, body: sent } = operation;
  return {
    name,
    kind,
    method,
    path,
    summary,
    auth,
    isInClient,
    asksFirst,
    filled,
    ...(sent && { body: sent.isRequired ? 'required' : 'optional' }),
    parameters: operation.parameters
      .filter(({ place }) => place !== 'header')
      .map((one) => ({
        name: one.name,
        place: one.place,
        kind: one.kind,
        ...(one.choices.length > 0 && { choices: one.choices }),
        ...(one.isRequired && { isRequired: true }),
      })),
  };
}

export const objectSection = ({ id, name, about, fields: all }: DescribedObject) =>
  `<section class="object" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title"><a class="anchor" href="#${id}">${name}</a></h3>${
    about && `<p>${inline(about)}</p>`
  }${all.length > 0 ? rowsOf(all, false) : '<p>Any JSON.</p>'}</section>`;

// Builds requests of operations, and code samples for them. Used by the server for the pages and Markdown files, and by
// the page after the user changed a value.

/**
 * @typedef {'text' | 'number' | 'boolean' | 'json' | 'list'} ValueKind
 * @typedef {{ name: string, place: string, kind: ValueKind }} CalledParameter
 * @typedef {object} Called
 * @property {string} name
 * @property {'call' | 'text' | 'stream' | 'socket'} kind
 * @property {string} method
 * @property {string} path
 * @property {'none' | 'token' | 'deviceKey'} auth
 * @property {boolean} isInClient
 * @property {readonly CalledParameter[]} parameters
 *
 * @typedef {{ values: Record<string, unknown>, body?: unknown }} Filled
 * @typedef {{ curl: string, typescript: string, python: string }} Samples
 */

/**
 * Path and query of a request.
 * @param {Called} operation
 * @param {Filled} filled
 */
export function addressOf(operation, filled) {
  const query = new URLSearchParams(queryOf(operation, filled));
  return pathOf(operation, filled) + (query.size > 0 ? `?${query}` : '');
}

/**
 * @param {Called} operation
 * @param {Filled} filled
 */
const pathOf = ({ path }, { values }) =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    values[name] === undefined ? whole : encodeURIComponent(String(values[name])),
  );

/**
 * @param {Called} operation
 * @param {Filled} filled
 * @returns {[string, string][]}
 */
function queryOf({ parameters }, { values }) {
  /** @type {[string, string][]} */
  const pairs = [];
  for (const { name, place, kind } of parameters) {
    const value = values[name];
    if (place !== 'query' || value === undefined) continue;
    if (kind === 'list' && Array.isArray(value)) for (const item of value) pairs.push([name, String(item)]);
    else pairs.push([name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  }
  return pairs;
}

/**
 * A request as code. It never contains the token: code reads it from the environment.
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 * @returns {Samples}
 */
export function samplesOf(operation, filled, origin) {
  return {
    curl: curl(operation, filled, origin),
    typescript: typescript(operation, filled, origin),
    python: python(operation, filled, origin),
  };
}

/** Environment variables that contain the secret. */
const VARIABLES = { token: 'TRACKWAY_TOKEN', deviceKey: 'DEVICE_KEY' };

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 */
function curl(operation, filled, origin) {
  const query = queryOf(operation, filled);
  const isRead = operation.method === 'GET' && operation.kind !== 'socket';
  const address = origin + (isRead ? pathOf(operation, filled) : addressOf(operation, filled));
  const isPlainPost = operation.method === 'POST' && filled.body !== undefined;
  const lines = [
    operation.kind === 'socket'
      ? `curl -sN --http1.1 ${quoted(address)}`
      : `curl -s${operation.kind === 'stream' ? 'N' : ''}${isRead && query.length > 0 ? 'G' : ''}${
          isRead || isPlainPost ? '' : ` -X ${operation.method}`
        } ${quoted(address)}`,
    ...(operation.kind === 'socket' ? UPGRADE.map((header) => `-H ${quoted(header)}`) : []),
    ...(operation.auth === 'none' ? [] : [`-H "Authorization: $${VARIABLES[operation.auth]}"`]),
    ...(isRead ? query.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`) : []),
    ...(filled.body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(written(filled.body, JSON_STYLE))}`]),
  ];
  return lines.join(' \\\n  ');
}

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
];

/**
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 */
function typescript(operation, filled, origin) {
  const values = Object.fromEntries(
    operation.parameters.flatMap(({ name, place }) =>
      place === 'header' || filled.values[name] === undefined ? [] : [[name, filled.values[name]]],
    ),
  );
  const input = forClient({ ...values, ...(filled.body === undefined ? {} : { body: filled.body }) });
  const given = Object.keys(input).length > 0 ? written(input, SCRIPT_STYLE) : '';
  const url = written(origin, SCRIPT_STYLE);
  const options = operation.auth === 'token' ? `{ url: ${url}, token: process.env.TRACKWAY_TOKEN }` : `{ url: ${url} }`;
  if (operation.kind === 'socket') {
    const query = queryOf(operation, filled).map(([name, value]) => `${name}=${encodeURIComponent(value)}&`);
    const address = `${origin.replace(/^http/, 'ws')}${pathOf(operation, filled)}?${query.join('')}`;
    return [
      `const socket = new WebSocket(\`${address}authorization=\${process.env.TRACKWAY_TOKEN}\`);`,
      "socket.addEventListener('message', ({ data }) => console.log(JSON.parse(data)));",
    ].join('\n');
  }
  if (operation.kind === 'stream') {
    const devices = /** @type {Record<string, unknown>} */ (values).devices;
    const which = devices === undefined ? '' : `, { devices: [${String(devices).split(',').join(', ')}] }`;
    return [
      "import { liveEvents } from '@trackway/client';",
      '',
      `const options = ${options};`,
      `for await (const { event, data } of liveEvents(options${which})) console.log(event, data);`,
    ].join('\n');
  }
  if (!operation.isInClient) return byFetch(operation, filled, origin);
  if (operation.kind === 'text')
    return [
      "import { textLines } from '@trackway/client';",
      '',
      `const options = ${options};`,
      `for await (const line of textLines(options, '${operation.name}'${given && `, ${given}`})) console.log(line);`,
    ].join('\n');
  return [
    "import { createClient } from '@trackway/client';",
    '',
    `const client = createClient(${options});`,
    `const answer = await client.${operation.name}(${given});`,
    'console.log(answer);',
  ].join('\n');
}

/**
 * The client has no methods for reports of devices.
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 */
function byFetch(operation, filled, origin) {
  const headers = [
    ...(operation.auth === 'none' ? [] : [`authorization: process.env.${VARIABLES[operation.auth]}!`]),
    ...(filled.body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const lines = [
    `const answer = await fetch(${written(origin + addressOf(operation, filled), SCRIPT_STYLE)}, {`,
    `  method: '${operation.method}',`,
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(filled.body === undefined
      ? []
      : [`  body: JSON.stringify(${written(filled.body, SCRIPT_STYLE).replaceAll('\n', '\n  ')}),`]),
    '});',
    'console.log(await answer.text());',
  ];
  return lines.join('\n');
}

/** A value that is already code. */
class Code {
  /** @param {string} code */
  constructor(code) {
    this.code = code;
  }
}

/**
 * The client expects time ranges as numbers.
 * @param {Record<string, unknown>} values
 * @returns {Record<string, unknown>}
 */
const forClient = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name === 'body') return [name, forClient(/** @type {Record<string, unknown>} */ (value))];
      const isRange = Array.isArray(value) && value.length === 2 && value.every((item) => ISO_TIME.test(String(item)));
      return [name, isRange ? value.map((item) => new Code(`Date.parse('${item}')`)) : value];
    }),
  );

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 */
function python(operation, filled, origin) {
  if (operation.kind === 'socket') return pythonSocket(operation, filled, origin);
  const query = queryOf(operation, filled);
  const isStream = operation.kind === 'stream' || operation.kind === 'text';
  const names = new Set(query.map(([name]) => name));
  const isRepeated = names.size < query.length;
  const params = isRepeated ? query.map(([name, value]) => [name, value]) : Object.fromEntries(query);
  const lines = [
    ...(operation.auth === 'none' ? [] : ['import os', '']),
    'import requests',
    '',
    `answer = requests.${operation.method.toLowerCase()}(`,
    `    ${written(origin + pathOf(operation, filled), PYTHON_STYLE)},`,
    ...(operation.auth === 'none'
      ? []
      : [`    headers={"Authorization": os.environ["${VARIABLES[operation.auth]}"]},`]),
    ...(query.length > 0 ? [`    params=${indented(written(params, PYTHON_STYLE))},`] : []),
    ...(filled.body === undefined ? [] : [`    json=${indented(written(filled.body, PYTHON_STYLE))},`]),
    ...(isStream ? ['    stream=True,'] : []),
    ')',
    'answer.raise_for_status()',
    isStream ? 'for line in answer.iter_lines(decode_unicode=True):\n    print(line)' : 'print(answer.text)',
  ];
  return lines.join('\n');
}

/**
 * @param {Called} operation
 * @param {Filled} filled
 * @param {string} origin
 */
function pythonSocket(operation, filled, origin) {
  const address = origin.replace(/^http/, 'ws') + addressOf(operation, filled);
  return [
    'import os',
    '',
    'from websockets.sync.client import connect',
    '',
    'headers = {"Authorization": os.environ["TRACKWAY_TOKEN"]}',
    `with connect(${written(address, PYTHON_STYLE)}, additional_headers=headers) as socket:`,
    '    for frame in socket:',
    '        print(frame)',
  ].join('\n');
}

/** @param {string} text */
const indented = (text) => text.replaceAll('\n', '\n    ');

/**
 * @typedef {object} Style
 * @property {(key: string) => string} key
 * @property {(text: string) => string} text
 * @property {Readonly<Record<string, string>>} words
 * @property {string} step
 * @property {boolean} isSpaced whether one line has spaces inside of braces
 * @property {boolean} endsWithComma whether the last of several lines has a comma
 */

/** @type {Style} */
export const JSON_STYLE = {
  key: (key) => JSON.stringify(key),
  text: (text) => JSON.stringify(text),
  words: {},
  step: '  ',
  isSpaced: false,
  endsWithComma: false,
};

/** @type {Style} */
const SCRIPT_STYLE = {
  key: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : SCRIPT_STYLE.text(key)),
  text: (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  words: {},
  step: '  ',
  isSpaced: true,
  endsWithComma: true,
};

/** @type {Style} */
const PYTHON_STYLE = {
  ...JSON_STYLE,
  words: { null: 'None', true: 'True', false: 'False' },
  step: '    ',
  endsWithComma: true,
};

const WIDTH = 72;

/**
 * A JSON value as code, on one line if short.
 * @param {unknown} value
 * @param {Style} style
 * @returns {string}
 */
export function written(value, style) {
  if (typeof value === 'string') return style.text(value);
  if (value instanceof Code) return value.code;
  if (typeof value !== 'object' || value === null) {
    const word = String(value);
    return style.words[word] ?? word;
  }
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => written(item, style))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${style.key(key)}: ${written(item, style)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  const gap = style.isSpaced && !isList ? ' ' : '';
  const line = `${open}${gap}${items.join(', ')}${gap}${close}`;
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  const inner = items.map((item) => style.step + item.replaceAll('\n', `\n${style.step}`)).join(',\n');
  return `${open}\n${inner}${style.endsWithComma ? ',' : ''}\n${close}`;
}

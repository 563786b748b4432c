import type { TSchema } from 'typebox';

/** JSON text of a value that a field may well accept, so that a request gets past the first check. */
export function plausible(schema: TSchema): string {
  const {
    type,
    format,
    enum: options,
    anyOf,
    properties,
    items,
    minimum,
  } = schema as Record<string, unknown> & {
    anyOf?: TSchema[];
    enum?: unknown[];
    properties?: Record<string, TSchema>;
    items?: TSchema;
  };
  if ('const' in schema) return JSON.stringify(schema.const);
  if (options) return JSON.stringify(options[0]);
  if (anyOf) return plausible(anyOf[0]!);
  if (properties) return `{${Object.entries(properties).map(([name, of]) => `"${name}":${plausible(of)}`)}}`;
  if (format === 'date-time') return '"2026-06-01T12:00:00Z"';
  if (type === 'string') return '"abc"';
  if (type === 'boolean') return 'true';
  if (type === 'array') return items ? `[${plausible(items)}]` : '[]';
  if (type === 'integer' || type === 'number') return String(Math.max(1, Number(minimum ?? 1)));
  return '{}';
}

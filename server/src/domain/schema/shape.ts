import type { Noun, Shown } from '@trackway/contract/schema.ts';
import type { TSchema } from 'typebox';
import type { Kind, TableShape } from '../../platform/storage/shape.ts';

/** How the fields of a noun are stored: one kind for each, read off its schema. */
export function shapeOf<N extends Noun>(noun: N): TableShape<Shown<N>> {
  return Object.entries(noun.fields).map(([name, schema]) => ({ name, kind: kindOf(schema) }));
}

function kindOf(schema: TSchema): Kind {
  const annotated = schema as { type?: string; format?: string; properties?: object; enum?: unknown };
  const said = (schema as Record<string, unknown>)['x-kind'];
  if (said !== undefined) return said as Kind;
  if ((schema as Record<string, unknown>)['x-texts']) return 'texts';
  if (annotated.enum !== undefined) return 'text';
  switch (annotated.type) {
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'string':
      return annotated.format === 'date-time' ? 'time' : 'text';
    case 'object':
      return annotated.properties !== undefined && 'lat' in annotated.properties && 'lng' in annotated.properties
        ? 'place'
        : 'json';
    default:
      return 'json';
  }
}

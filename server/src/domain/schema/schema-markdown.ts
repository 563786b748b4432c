import type { Placement } from '../../platform/storage/placement.ts';
import { SCHEMA } from './migrations/0001-schema.ts';
import { PLACEMENTS } from './placement.ts';

const HEAD = `# Tables

Generated from \`server/src/domain/schema/migrations\` by \`npm run docs\`. SQLite and PostgreSQL have the same tables. The last
column says where the rows of a table are if PostgreSQL is distributed by Citus: with their device, copied to every server, or at
the coordinator.

Times are milliseconds since 1970, booleans 0 or 1. The name of a time ends in \`At\`, or in \`From\` or \`Until\` if it limits a
period; the name of a boolean is a statement, such as \`isRebuilding\`. Columns that are fields of the API have their names, such as
\`created\` or \`active\`.
`;

/** What `docs/develop/schema.md` contains. */
export function schemaMarkdown(): string {
  const topics = Object.entries(SCHEMA).map(([topic, definitions]) => {
    const rows = definitions.map(({ name, purpose }) => `| \`${name}\` | ${purpose} | ${placeOf(name)} |`);
    return `\n## ${topic}\n\n| Table | Contains | On Citus |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return HEAD + topics.join('');
}

const PLACES: Readonly<Record<Placement['place'], string>> = {
  distributed: 'with the device',
  reference: 'copied',
  local: 'coordinator',
};

function placeOf(name: string): string {
  const placement = (PLACEMENTS as Readonly<Record<string, Placement>>)[name];
  return placement === undefined ? '' : PLACES[placement.place];
}

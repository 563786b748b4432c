/** A row as an export shows it: times as ISO texts, JSON as it was meant. */

const TIMES = new Set(
  `acknowledgedAt at confirmed confirmedAt created decidedAt deletedAt doneAt downSince dueAt dueOn emailConfirmedAt end
  ended escalatedAt expires expiresAt firstAt firstSeen lastAt lastChecked lastConnection lastErrorAt lastSuccess
  lastTriggered lastUsed lastUsedAt lastViewedAt listensUntil lookAt modified nextAt nextTryAt provenAt receivedAck
  receivedAt recorded refreshUntil removedAt renewUntil sent shapedAt signedInAt snoozedUntil since start timestamp
  touched triggeredAt until validFrom validTo`.split(/\s+/),
);

export const isTimeColumn = (name: string) => TIMES.has(name);

/** Before 1973: a flag or a number of the same name. */
const NO_TIME = 1e11;

export function readableRow(
  row: Readonly<Record<string, string | number | null>>,
  hides: ReadonlySet<string>,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(row)) if (!hides.has(name)) shown[name] = readable(name, cell);
  return shown;
}

function readable(name: string, cell: string | number | null): unknown {
  if (typeof cell === 'number') return isTimeColumn(name) && cell > NO_TIME ? new Date(cell).toISOString() : cell;
  if (cell === null || !/^[[{]/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

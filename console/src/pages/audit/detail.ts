/** What was changed, in one line: "rights: view, userId: 7". */
export function detailOf(detail: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(detail ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
    .slice(0, 300);
}

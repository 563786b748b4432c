/**
 * A name identifies one statement. PostgreSQL refuses a second one under the same name, so both engines refuse it right
 * away.
 */
export function statementNames(): (name: string, sql: string) => void {
  const taken = new Map<string, string>();
  return (name, sql) => {
    if ((taken.get(name) ?? sql) !== sql) throw new Error(`The name ${name} is already used for another statement.`);
    taken.set(name, sql);
  };
}

/** Sends a report as a device does that has a key. */
export async function sendReport(url: string, key: string, body: object): Promise<void> {
  const answer = await fetch(`${url}/ingest/reports`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The demo could not report: ${answer.status} ${await answer.text()}`);
}

/** Sends a report like a device with a key, and returns the ids of the messages for it. */
export async function sendReport(url: string, key: string, body: object): Promise<number[]> {
  const answer = await fetch(`${url}/ingest/reports`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The demo could not report: ${answer.status} ${await answer.text()}`);
  const { messages } = (await answer.json()) as { messages: { id: number }[] };
  return messages.map(({ id }) => id);
}

import { createInterface } from 'node:readline/promises';
import type { RunningApp } from '@trackway/server/app/start.ts';

type Terminal = Readonly<{ input: NodeJS.ReadableStream; output: NodeJS.WritableStream }>;
type Started = Pick<RunningApp, 'address' | 'reach' | 'setupToken' | 'adminMade'>;

/** Asks once, at the first start in a terminal, whether phones in the local network may connect. The default is no. */
export async function offerNetwork(
  { address, reach, setupToken, adminMade }: Started,
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const isTerminal = [input, output].every((stream) => (stream as { isTTY?: boolean }).isTTY === true);
  const isFirst = setupToken !== undefined || adminMade;
  if (!isTerminal || !isFirst || !(await reach.isUndecided())) return;
  // Without an editor of its own, so that Ctrl+C still stops the server.
  const line = createInterface({ input, output, terminal: false });
  try {
    const question = '\nLet phones on this network connect? Use it only in a network that you trust. [y/N] ';
    const isOpen = /^y(es)?$/i.test((await line.question(question, { signal })).trim());
    const { addresses } = await reach.setAccess(isOpen);
    output.write(
      isOpen ? opened(addresses, address) : 'Only this machine can connect. You can change this in Settings.\n',
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    line.close();
  }
}

function opened(addresses: readonly { readonly url: string }[], address: string): string {
  if (addresses.length === 0) return 'This machine has no network address that phones could use.\n';
  const urls = addresses.map(({ url }) => url).join(' or ');
  return `Phones can connect at ${urls}. If one cannot, allow TCP port ${new URL(address).port} in the firewall.\n`;
}

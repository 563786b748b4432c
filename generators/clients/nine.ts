/** What the clients in TypeScript share: the world they call, and how they say what they did. */

declare const process: { readonly env: Readonly<Record<string, string>> };

export const world = JSON.parse(process.env.WORLD!) as {
  readonly base: string;
  readonly token: string;
  readonly userId: number;
  readonly deviceId: number;
  readonly readingId: number;
  readonly triggerId: number;
};

export const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:positions';
export const FENCE = { name: 'Depot', center: { lat: 46.4983, lng: 11.3548 }, radius: 150 };

export function check(number: number, name: string, isRight: boolean, seen: unknown): void {
  if (!isRight) throw new Error(`${number} ${name}: ${JSON.stringify(seen)}`);
  console.log(`${number} ${name}`);
}

import { CHANNELS, type Channel } from '@trackway/contract/channels.ts';

/** The ways out that a trigger asks for, and where they lead. */
export interface Wanted {
  readonly delivery: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A queue's name is enough to ask for the queue, unless its flag says no. */
export const channelsOf = ({ delivery }: Wanted): Channel[] =>
  CHANNELS.filter(
    (channel) => delivery[channel] === true || (channel === 'sqs' && isText(delivery.sqsArn) && delivery.sqs !== false),
  );

export const queueOf = ({ delivery, parameters }: Wanted) => textOf(delivery.sqsArn) ?? textOf(parameters.sqsArn);
export const endpointOf = ({ parameters }: Wanted) => textOf(parameters.endpoint);
export const mailAddressOf = ({ parameters }: Wanted) => textOf(parameters.email);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textOf = (value: unknown) => (isText(value) ? value : undefined);

/** One address and nothing that a header could be made of. */
export const isMailAddress = (text: string) =>
  text.length <= 320 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);

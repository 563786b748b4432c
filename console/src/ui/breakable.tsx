import { Fragment } from 'react';

/** A long address that breaks after `@` and dots rather than within a word. */
export const Breakable = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[@.])/).map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
);

import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useState } from 'react';
import { useIdentifyTracker } from '../../../api/trackers/unknown-trackers.ts';
import { protocolName } from '../../../format/protocol-name.ts';
import { latLng } from '../../../format/quantities.ts';
import { exactTime } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldStack, TextArea } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import css from '../unknown/unknown-trackers.module.css';

const words = t.trackers.identify;
/** The contract's limit. */
const MOST = 8192;

/** Identifies the protocol of pasted bytes, and decodes them. */
export function IdentifyCard() {
  const [data, setData] = useState('');
  const identify = useIdentifyTracker();
  return (
    <form
      className={css.card}
      aria-labelledby="identify"
      onSubmit={(event) => {
        event.preventDefault();
        identify.mutate({ body: { data } });
      }}
    >
      <div>
        <h2 id="identify">{words.title}</h2>
        <p className={css.soft}>{words.lead}</p>
      </div>
      <FieldStack>
        <TextArea
          label={words.data}
          hint={words.hint}
          value={data}
          onChange={(value) => {
            identify.reset();
            setData(value);
          }}
          maxLength={MOST}
          spellCheck={false}
          isCode
        />
        <div>
          <Button type="submit" isBusy={identify.isPending} disabled={data.trim() === ''}>
            {words.action}
          </Button>
        </div>
        <div role="status">
          {identify.error && <Notice tone="danger">{problemOf(identify.error)}</Notice>}
          {identify.data && <Identified found={identify.data} />}
        </div>
      </FieldStack>
    </form>
  );
}

function Identified({ found }: { found: AnswerOf<'identifyTracker'> }) {
  const { protocol, wellKnownPort, problem, reasons, identities, positions } = found;
  return (
    <>
      {problem && (
        <Notice tone="warn">
          {words.problems[problem]} {reasons.join(' ')}
        </Notice>
      )}
      {protocol !== null && (
        <>
          <p>{words.protocol({ name: protocolName(protocol), port: String(wellKnownPort) })}</p>
          {identities.length > 0 && <p>{words.identity({ identity: identities.join(', ') })}</p>}
          {positions.length === 0 && problem === null && <p>{words.noPosition}</p>}
          <ul>
            {positions.map(({ timestamp, location, isValid }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The list never changes.
              <li key={at}>
                {latLng(location)}
                {timestamp !== null && `, ${exactTime(timestamp)}`}
                {!isValid && `, ${words.noFix}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

import { useState } from 'react';
import { readFleet } from '../../../api/live/fleet.ts';
import { useAddTrackers } from '../../../api/trackers/unknown-trackers.ts';
import { t, textFor } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldStack, TextArea, TextField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import css from '../unknown/unknown-trackers.module.css';

const words = t.trackers.many;

/** Adds a box of trackers by the numbers on their labels. */
export function ManyCard() {
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const add = useAddTrackers();
  const identifiers = text.split(/[\s,;]+/).filter((one) => one !== '');
  const start = async () => {
    await add.mutateAsync({ body: { identifiers, ...(name && { name }), ...(model && { model }) } });
    await readFleet();
  };
  return (
    <form
      className={css.card}
      aria-labelledby="many"
      onSubmit={(event) => {
        event.preventDefault();
        void start().catch(() => undefined);
      }}
    >
      <div>
        <h2 id="many">{words.title}</h2>
        <p className={css.soft}>{words.lead}</p>
      </div>
      <FieldStack>
        <TextArea
          label={words.identifiers}
          hint={words.identifiersHint}
          value={text}
          onChange={(value) => {
            add.reset();
            setText(value);
          }}
          spellCheck={false}
          isCode
        />
        <TextField label={words.name} hint={words.nameHint} value={name} onChange={setName} maxLength={150} />
        <TextField label={words.model} hint={words.modelHint} value={model} onChange={setModel} maxLength={100} />
        <div>
          <Button type="submit" isBusy={add.isPending} disabled={identifiers.length === 0}>
            {words.action({ count: identifiers.length })}
          </Button>
        </div>
        <div role="status">
          {add.error && <Notice tone="danger">{problemOf(add.error)}</Notice>}
          {add.data && <Added all={add.data} />}
        </div>
      </FieldStack>
    </form>
  );
}

function Added({ all }: { all: NonNullable<ReturnType<typeof useAddTrackers>['data']> }) {
  const added = all.filter(({ deviceId }) => deviceId !== null);
  const pending = added.filter(({ identityPending }) => identityPending).length;
  const failed = all.filter(({ problem }) => problem !== null);
  return (
    <FieldStack>
      <p>{words.added({ count: added.length })}</p>
      {pending > 0 && <Notice tone="warn">{words.pending({ count: pending })}</Notice>}
      {failed.length > 0 && (
        <Notice tone="danger">
          <ul>
            {failed.map(({ identifier, problem, problemCode }) => (
              <li key={identifier}>
                {identifier}: {textFor(words.problems, problemCode ?? '') ?? problem}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </FieldStack>
  );
}

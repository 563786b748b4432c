import { useState } from 'react';
import type { Device } from '../../../api/devices.ts';
import { readFleet } from '../../../api/live/fleet.ts';
import { type Knock, useKnocks, useTakeInKnock } from '../../../api/trackers/knocks.ts';
import { AskDialog } from '../../../forms/security/ask-dialog.tsx';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { FramedList } from '../../../ui/framed-list.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { KnockRow } from './knock-row.tsx';
import css from './knocks.module.css';
import { TrackerAddress } from './tracker-address.tsx';

const words = t.trackers.knocks;

/** Trackers that connected and are not known, for admins: one press takes one in. */
export function KnocksCard() {
  const query = useKnocks();
  const takeIn = useTakeInKnock();
  const [asked, setAsked] = useState<Knock>();
  const [added, setAdded] = useState<Device>();
  const add = async ({ id }: Knock, name: string) => {
    const device = await takeIn.mutateAsync({ id, body: { name: name.trim() } });
    await readFleet();
    setAdded(device);
    setAsked(undefined);
  };
  return (
    <section className={css.card} aria-labelledby="knocks">
      <div>
        <h2 id="knocks">{words.title}</h2>
        <p className={css.soft}>{words.lead}</p>
      </div>
      <div role="status" className={css.status}>
        {added && <Added device={added} />}
      </div>
      <Loaded query={query}>
        {(knocks) =>
          knocks.length === 0 ? (
            <p>
              {words.empty} {words.emptyHint}
            </p>
          ) : (
            <FramedList label={words.title}>
              {knocks.map((knock) => (
                <KnockRow key={knock.id} knock={knock} onAdd={() => setAsked(knock)} />
              ))}
            </FramedList>
          )
        }
      </Loaded>
      <TrackerAddress />
      {asked && (
        <AskDialog
          title={words.addTitle}
          text={words.addText(asked.identity)}
          label={words.name}
          hint={words.nameHint}
          value={`${t.trackers.protocol(asked.protocol)} ${asked.identity.slice(-4)}`}
          action={words.addAction}
          onSubmit={(name) => add(asked, name)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

const Added = ({ device: { id, name } }: { device: Device }) => (
  <Notice
    tone="good"
    action={
      <ButtonLink href={`/devices/${id}`} size="small">
        {words.view}
      </ButtonLink>
    }
  >
    {words.added(name || t.device.unnamed(id))}
  </Notice>
);

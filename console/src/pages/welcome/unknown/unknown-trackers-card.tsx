import { useState } from 'react';
import type { Device } from '../../../api/devices.ts';
import { readFleet } from '../../../api/live/fleet.ts';
import {
  type UnknownTracker,
  useAddUnknownTracker,
  useUnknownTrackers,
} from '../../../api/trackers/unknown-trackers.ts';
import { protocolName } from '../../../format/protocol-name.ts';
import { AskDialog } from '../../../forms/security/ask-dialog.tsx';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { FramedList } from '../../../ui/framed-list.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { TrackerAddress } from './tracker-address.tsx';
import { UnknownTrackerRow } from './unknown-tracker-row.tsx';
import css from './unknown-trackers.module.css';

const words = t.trackers.unknown;

/** Unknown trackers that connected, for admins: one press adds one. */
export function UnknownTrackersCard() {
  const query = useUnknownTrackers();
  const addTracker = useAddUnknownTracker();
  const [asked, setAsked] = useState<UnknownTracker>();
  const [added, setAdded] = useState<Device>();
  const allow = async ({ id }: UnknownTracker) => {
    await addTracker.mutateAsync({ id, body: {} });
    await readFleet();
  };
  const add = async ({ id }: UnknownTracker, name: string) => {
    const device = await addTracker.mutateAsync({ id, body: { name: name.trim() } });
    await readFleet();
    setAdded(device);
    setAsked(undefined);
  };
  return (
    <section className={css.card} aria-labelledby="unknown-trackers">
      <div>
        <h2 id="unknown-trackers">{words.title}</h2>
        <p className={css.soft}>{words.lead}</p>
      </div>
      <div role="status" className={css.status}>
        {added && <Added device={added} />}
      </div>
      <Loaded query={query}>
        {(unknownTrackers) =>
          unknownTrackers.length === 0 ? (
            <p>{words.empty}</p>
          ) : (
            <FramedList label={words.title}>
              {unknownTrackers.map((unknownTracker) => (
                <UnknownTrackerRow
                  key={unknownTracker.id}
                  unknownTracker={unknownTracker}
                  onAdd={() => setAsked(unknownTracker)}
                  onAllow={() => allow(unknownTracker)}
                />
              ))}
            </FramedList>
          )
        }
      </Loaded>
      {query.data && <TrackerAddress isReached={query.data.length > 0} />}
      {asked && (
        <AskDialog
          title={words.addTitle}
          text={words.addText({ identity: asked.identity })}
          label={words.name}
          hint={words.nameHint}
          value={`${protocolName(asked.protocol)} ${asked.identity.slice(-4)}`}
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
    {words.added({ name: name || t.device.unnamed({ id }) })}
  </Notice>
);

import { Link } from 'wouter';
import { useNamedDevice } from '../../api/named-device.ts';
import { type UndecodedFrame, useUndecodedFrames } from '../../api/trackers/undecoded.ts';
import { protocolName } from '../../format/protocol-name.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { FramedList } from '../../ui/framed-list.tsx';
import { Card } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './undecoded-card.module.css';

const words = t.trackers.undecoded;

/** Undecodable frames of trackers, by sender and problem. */
export function UndecodedCard() {
  const { data: frames = [] } = useUndecodedFrames();
  if (frames.length === 0) return null;
  return (
    <Card title={words.title}>
      <p className={css.lead}>{words.lead}</p>
      <FramedList label={words.label}>
        {frames.map((frame) => (
          <Frame key={frame.id} frame={frame} />
        ))}
      </FramedList>
    </Card>
  );
}

function Frame({ frame }: { frame: UndecodedFrame }) {
  const { protocol, problem, count, lastAt, address, bytes } = frame;
  return (
    <li className={css.row}>
      <div className={css.head}>
        <Badge>{protocol === 'unknown' ? words.unknown : protocolName(protocol)}</Badge>
        <Sender frame={frame} />
        <span className={css.soft}>
          {words.count({ count })}, {words.last} <Ago time={lastAt} />, {words.from({ address })}
        </span>
      </div>
      <details>
        <summary className={css.soft}>{words.sample}</summary>
        {/* For people who know the protocol, in English as in the API. */}
        <div className={css.problem}>{problem}</div>
        <code className={css.bytes}>{bytes.replaceAll(/(..)(?=.)/g, '$1 ')}</code>
      </details>
    </li>
  );
}

function Sender({ frame: { deviceId, sender } }: { frame: UndecodedFrame }) {
  const { device } = useNamedDevice(deviceId ?? undefined);
  if (deviceId === null) return <strong className={css.sender}>{sender}</strong>;
  return (
    <Link href={`/devices/${deviceId}`} className={css.sender}>
      {device?.name || t.device.unnamed({ id: deviceId })}
    </Link>
  );
}

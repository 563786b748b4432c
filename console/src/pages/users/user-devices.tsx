import { Link } from 'wouter';
import { type User, useUser } from '../../api/accounts/users.ts';
import { useRead } from '../../api/calls.ts';
import type { Device } from '../../api/devices.ts';
import { useShares } from '../../api/shares.ts';
import { t } from '../../texts/t.ts';
import { Badge, ColorDot } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { nameOf } from './name-of.ts';
import css from './users.module.css';

const words = t.users;
const MOST = 50;

/** The devices of one user, and the shares from and to them. */
export function UserDevices({ user }: { user: User }) {
  const query = useRead('listUserDevices', {
    id: user.id,
    filter: { order: ['name ASC', 'id ASC'], limit: MOST + 1 },
  });
  return (
    <Card title={words.devices} isFlush>
      <Loaded query={query}>
        {(devices) => (
          <>
            {devices.length === 0 && <p className={css.note}>{words.noDevices}</p>}
            <ul className={css.list}>
              {devices.slice(0, MOST).map((device) => (
                <li key={device.id}>
                  <span className={css.device}>
                    <ColorDot color={device.color} />
                    <Link href={`/devices/${device.id}`}>{device.name ?? words.device({ id: device.id })}</Link>
                  </span>
                  {device.ownerId === user.id ? <SharedWith device={device} /> : <SharedBy device={device} />}
                </li>
              ))}
            </ul>
            {devices.length > MOST && <p className={css.note}>{words.moreDevices({ shown: MOST })}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function SharedWith({ device }: { device: Device }) {
  const shares = useShares(device.id).data;
  if (!shares) return null;
  if (shares.length === 0) return <span className={css.soft}>{words.notShared}</span>;
  return (
    <span className={css.badges}>
      <span className={css.soft}>{words.sharedWith}</span>
      {shares.map(({ id, email, userId, rights }) => (
        <Badge key={id} tone="info">
          {email ?? words.somebody({ id: userId! })} · {words.right[rights]}
        </Badge>
      ))}
    </span>
  );
}

function SharedBy({ device }: { device: Device }) {
  const owner = useUser(device.ownerId).data;
  return (
    <span className={css.soft}>
      {words.sharedBy}{' '}
      <Link href={`/users/${device.ownerId}`}>{owner ? nameOf(owner) : words.somebody({ id: device.ownerId })}</Link>
    </span>
  );
}

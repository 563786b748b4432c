import { Link, useLocation } from 'wouter';
import { SELF, usePutOnList, useSeenFence } from '../../api/geofence-lists.ts';
import { colorOf, type Geofence, useCreateGeofence, useDeleteGeofence } from '../../api/geofences.ts';
import { useInside } from '../../api/inside.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { duration } from '../../format/quantities.ts';
import { exactTime, relative } from '../../format/times.ts';
import { useFormat, useNow } from '../../format/use-format.ts';
import { shapeOf } from '../../map/draw/draw-shape.ts';
import { t } from '../../texts/t.ts';
import { Badge, ColorDot } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, useTitle } from '../../ui/page.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './geofences.module.css';
import { nameOf } from './groups.ts';

const words = t.geofences;

/** One fence: the devices inside, its properties and actions. */
export function FenceDetail({ fence }: { fence: Geofence }) {
  useTitle(nameOf(fence));
  const [, navigate] = useLocation();
  const remove = useDeleteGeofence();
  const create = useCreateGeofence();
  const put = usePutOnList();
  const list = useSeenFence(fence.id).data?.list;

  const undo = async () => {
    const { id: _, wasInside: __, lastChecked: ___, modified: ____, userId: _____, ...body } = fence;
    try {
      const made = await create.mutateAsync({ id: 'me', body });
      if (list) await put.mutateAsync({ userid: SELF, fenceid: made.id, listid: list.id });
      toast({ text: words.restored({ name: nameOf(fence) }), tone: 'good' });
      navigate(`/geofences/${made.id}`);
    } catch (error) {
      toast({ text: `${words.notRestored}: ${problemOf(error)}`, tone: 'danger' });
    }
  };
  const drop = async () => {
    try {
      await remove.mutateAsync({ id: 'me', fk: fence.id });
      navigate('/geofences');
      toast({
        text: words.deleted({ name: nameOf(fence) }),
        action: { label: words.undo, onPress: () => void undo() },
      });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };

  return (
    <div className={css.panel}>
      <header className={css.head}>
        <Link href="/geofences" className={css.back}>
          <Icon name="left" size={16} />
          {words.back}
        </Link>
        <div className={css.titleRow}>
          <ColorDot color={colorOf(fence) ?? 'var(--fence)'} />
          <h1>{nameOf(fence)}</h1>
        </div>
        <div className={css.actions}>
          <ButtonLink href={`/geofences/${fence.id}/edit`} size="small" icon="edit">
            {words.edit}
          </ButtonLink>
          <Button size="small" icon="trash" isBusy={remove.isPending} onClick={() => void drop()}>
            {words.delete}
          </Button>
        </div>
      </header>
      <div className={css.body}>
        <Inside fence={fence} />
        <FenceFacts fence={fence} list={list ?? undefined} />
        <ButtonLink href={`/alerts/new?type=geofence&zone=${fence.id}`} icon="bell" fills>
          {words.addTrigger}
        </ButtonLink>
      </div>
    </div>
  );
}

function Inside({ fence }: { fence: Geofence }) {
  const query = useInside(fence.id);
  const now = useNow(10_000);
  return (
    <section aria-label={words.inside} className={css.inside}>
      <h2 className={css.insideHead}>
        {words.inside}
        {query.data && query.data.length > 0 && (
          <Badge tone="good" hasDot>
            {words.insideCount({ count: query.data.length })}
          </Badge>
        )}
      </h2>
      <Loaded query={query} lines={2}>
        {(devices) =>
          devices.length === 0 ? (
            <p className={css.soft}>{words.insideNobody}</p>
          ) : (
            <ul className={css.insideList}>
              {devices.map(({ deviceId, name, since }) => (
                <li key={deviceId}>
                  <Link href={`/devices/${deviceId}`} className={css.insideRow}>
                    <span className={css.name}>{name ?? words.unnamedDevice({ id: deviceId })}</span>
                    <time className={css.soft} dateTime={since} title={exactTime(since)}>
                      {relative(since, now)}
                    </time>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function FenceFacts({ fence, list }: { fence: Geofence; list: { id: number; name: string } | undefined }) {
  const format = useFormat();
  const { device } = useNamedDevice(fence.deviceId ?? undefined);
  const shape = shapeOf(fence);
  const { enterAfter, exitAfter } = (fence.meta ?? {}) as { enterAfter?: number; exitAfter?: number };
  const deviceName = device?.name ?? (fence.deviceId === null ? '' : words.unnamedDevice({ id: fence.deviceId }));
  return (
    <Facts
      facts={[
        [
          words.facts.shape,
          shape === undefined
            ? words.shapeless
            : shape.kind === 'circle'
              ? words.circleOf({ radius: format.distance(shape.radius) })
              : shape.kind === 'corridor'
                ? words.corridorOf({ width: format.distance(shape.widthM) })
                : words.polygonOf({ corners: shape.outline.length }),
        ],
        [words.facts.group, fence.type],
        [
          words.facts.list,
          list && (
            <Link key="list" href={`/geofences/lists/${list.id}`}>
              {list.name}
            </Link>
          ),
        ],
        [words.facts.device, fence.deviceId === null ? words.facts.everyDevice : deviceName],
        [words.facts.enterAfter, enterAfter ? duration(enterAfter) : words.facts.atOnce],
        [words.facts.exitAfter, exitAfter ? duration(exitAfter) : words.facts.atOnce],
      ]}
    />
  );
}

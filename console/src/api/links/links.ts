import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type DeviceLink = AnswerOf<'getLink'>;
export type GroupLink = AnswerOf<'getGroupLink'>;
/** A link of a device, or of a group. */
export type AnyLink = DeviceLink | GroupLink;

export const isOfGroup = (link: AnyLink): link is GroupLink => 'groupId' in link;

const TOUCHED = ['listLinks', 'countLinks', 'listUserLinks'] as const;
const GROUP_TOUCHED = ['listGroupLinks', 'countGroupLinks'] as const;
const NEWEST_FIRST = { id: 'me', filter: { order: 'id DESC' } } as const;

export const useMyLinks = () => useRead('listUserLinks', NEWEST_FIRST);
export const useMyGroupLinks = () => useRead('listGroupLinks', NEWEST_FIRST);
const useCreateDeviceLink = () => useChange('createLink', TOUCHED);
const useCreateGroupLink = () => useChange('createGroupLink', GROUP_TOUCHED);
const useDeleteDeviceLink = () => useChange('deleteLink', TOUCHED);
const useDeleteGroupLink = () => useChange('deleteGroupLink', GROUP_TOUCHED);

/** The subject of a new link. */
export type LinkSubject = { readonly deviceId: number } | { readonly groupId: number };

/** Creates a link for a device or a group. */
export function useCreateLink() {
  const [ofDevice, ofGroup] = [useCreateDeviceLink(), useCreateGroupLink()];
  return {
    isPending: ofDevice.isPending || ofGroup.isPending,
    error: ofDevice.error ?? ofGroup.error,
    create: (
      of: LinkSubject,
      body: Parameters<typeof ofDevice.mutateAsync>[0]['body'],
    ): Promise<{ id: number; url: string }> =>
      'groupId' in of
        ? ofGroup.mutateAsync({ id: 'me', body: { ...body, groupId: of.groupId } })
        : ofDevice.mutateAsync({ id: of.deviceId, body }),
  };
}

export function useRevokeLink() {
  const [ofDevice, ofGroup] = [useDeleteDeviceLink(), useDeleteGroupLink()];
  return (link: AnyLink): Promise<unknown> =>
    isOfGroup(link)
      ? ofGroup.mutateAsync({ id: 'me', fk: link.id })
      : ofDevice.mutateAsync({ id: link.deviceId, fk: link.id });
}

/** Triggers and forwarders that others made on one's device. */
export const makers = {
  madeBy: (email: string | undefined) => `Made by ${email ?? 'an admin'}`,
  notYours: (email: string | undefined) =>
    `${email ?? 'An admin'} made this trigger and is notified by it. You cannot change it, but as the owner of the device you can delete it.`,
};

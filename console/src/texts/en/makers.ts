/** Triggers and forwarders that others made on one's device. */
export const makers = {
  madeBy: (email: string | undefined) => `Made by ${email ?? 'another user'}`,
  notYours: (email: string | undefined) =>
    `${email ?? 'Another user'} made this trigger and is notified by it. You cannot change it, but as the owner of the device you can delete it.`,
};

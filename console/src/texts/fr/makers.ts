import type { Texts } from '../translation.ts';

export const makers: Texts['makers'] = {
  madeBy: (email) => `Créé par ${email ?? 'un autre utilisateur'}`,
  notYours: (email) =>
    `${email ?? 'Un autre utilisateur'} a créé ce déclencheur et en reçoit les notifications. Vous ne pouvez pas le modifier, mais en tant que propriétaire de l’appareil vous pouvez le supprimer.`,
};

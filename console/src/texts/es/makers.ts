import type { Texts } from '../translation.ts';

export const makers: Texts['makers'] = {
  madeBy: (email) => `Creado por ${email ?? 'otro usuario'}`,
  notYours: (email) =>
    `${email ?? 'Otro usuario'} creó este activador y recibe sus avisos. No puede cambiarlo, pero como propietario del dispositivo puede eliminarlo.`,
};

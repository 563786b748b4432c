import type { AccountTexts } from './account-texts.ts';

export const es: AccountTexts = {
  quotes: ['«', '»'],
  notYou: 'Si no ha sido usted, ignore este correo: no cambia nada.',
  notExpected: 'Si no esperaba este correo, ignórelo.',
  twoDays: 'El enlace funciona una sola vez, durante dos días.',
  sevenDays: 'El enlace funciona una sola vez, durante siete días.',
  confirm: {
    subject: 'Confirme su correo electrónico',
    line: 'Esta dirección se ha indicado para una cuenta de Trackway. Confirme que es suya.',
    link: 'Confirmar la dirección',
  },
  changed: {
    subject: 'Su correo electrónico va a cambiar',
    line: (newEmail) =>
      `Alguien que conoce su contraseña ha pedido cambiar el correo electrónico de su cuenta de Trackway a ${newEmail}. Cambiará cuando se confirme la nueva dirección.`,
    notYou: 'Si no ha sido usted, cambie su contraseña ahora y pida ayuda a un administrador.',
  },
  reset: {
    subject: 'Elija una contraseña nueva',
    line: 'Se ha pedido una contraseña nueva para su cuenta de Trackway.',
    link: 'Elegir una contraseña nueva',
    after:
      'El enlace funciona una sola vez, durante una hora. Con él terminan todas las sesiones y los tokens de la cuenta.',
  },
  passwordChanged: {
    subject: 'Su contraseña ha cambiado',
    line: 'La contraseña de su cuenta de Trackway se ha cambiado con un enlace enviado a esta dirección. Todas las sesiones y los tokens han terminado.',
    notYou: 'Si no ha sido usted, pida ayuda a un administrador.',
  },
  factorReset: {
    subject: 'Se ha eliminado su segundo factor',
    line: 'Un administrador ha eliminado la aplicación de autenticación, las llaves de acceso y los códigos de recuperación de su cuenta de Trackway. Todas las sesiones y los tokens han terminado.',
    next: 'Inicie sesión y vuelva a configurar un segundo factor. Si no lo ha pedido, cambie su contraseña y avise a un administrador.',
  },
  invitation: {
    subject: 'Invitación a Trackway',
    line: (from) =>
      `${from ?? 'Un administrador'} le invita a crear una cuenta en Trackway. Elija una contraseña para empezar.`,
    link: 'Aceptar la invitación',
  },
  shared: {
    subject: {
      device: 'Se ha compartido un dispositivo con usted',
      list: 'Se ha compartido una lista de geocercas con usted',
      group: 'Se ha compartido un grupo de dispositivos con usted',
    },
    line: {
      device: (from, name) => `${from} ha compartido con usted el dispositivo ${name} en Trackway.`,
      list: (from, name) => `${from} ha compartido con usted la lista de geocercas ${name} en Trackway.`,
      group: (from, name) => `${from} ha compartido con usted el grupo de dispositivos ${name} en Trackway.`,
    },
    rights: {
      device: { view: 'Puede verlo.', manage: 'Puede gestionarlo.' },
      group: { view: 'Puede ver sus dispositivos.', manage: 'Puede gestionar sus dispositivos.' },
    },
    open: 'Abrir Trackway',
    leave: {
      device: 'Inicie sesión con esta dirección. Puede dejar el dispositivo en cualquier momento, en su página.',
      list: 'Inicie sesión con esta dirección. Puede dejar la lista en cualquier momento.',
      group: 'Inicie sesión con esta dirección. Puede dejar el grupo en cualquier momento.',
    },
    join: 'Elegir una contraseña y verlo',
    wait: 'Podrá verlo cuando un administrador del servidor le haya creado una cuenta con esta dirección.',
  },
  recipient: {
    subject: '¿Puede Trackway enviarle avisos?',
    line: (from) =>
      `${from} quiere que se envíen a esta dirección avisos sobre un dispositivo rastreado. No se le enviará nada más si no da su consentimiento.`,
    link: 'Aceptar, o no recibir nunca correos',
    after: 'Con el mismo enlace puede cambiar de opinión más adelante.',
  },
};

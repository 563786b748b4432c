import type { Texts } from '../../translation.ts';

export const byMail: Texts['byMail'] = {
  forgot: '¿Ha olvidado su contraseña?',
  forgotLead: 'Introduzca el correo electrónico de su cuenta. Recibirá un enlace para elegir una contraseña nueva.',
  email: 'Correo electrónico',
  forgotSubmit: 'Enviar enlace',
  forgotSent: 'Revise su correo',
  forgotSentText: (email) =>
    `Si ${email} es de una cuenta, ya va un enlace en camino. Funciona una vez, durante una hora. Si no llega nada, mire en el correo no deseado o pregunte a un administrador.`,
  toSignIn: 'Ir al inicio de sesión',

  reset: 'Elegir una contraseña nueva',
  resetLead: 'Se cerrará su sesión en todas partes y se revocarán todos los tokens de su cuenta.',
  newPassword: 'Contraseña nueva',
  newPasswordHint: 'Al menos 8 caracteres.',
  resetSubmit: 'Guardar contraseña',
  resetDone: 'Su contraseña está guardada',
  resetDoneText: 'Inicie sesión con su contraseña nueva.',
  noToken: 'El enlace está incompleto: falta la parte tras #. Abra el enlace completo del correo.',

  confirm: 'Confirmar su correo electrónico',
  confirmLead: 'Confirme que ha recibido el correo en esta dirección.',
  confirmSubmit: 'Confirmar dirección',
  confirmed: 'Dirección confirmada',
  confirmedText: (email) => `${email} es ahora la dirección de su cuenta.`,
  goOn: 'Ir a Trackway',

  accept: 'Bienvenido a Trackway',
  acceptLead: 'Elija una contraseña para crear su cuenta.',
  name: 'Su nombre',
  acceptSubmit: 'Crear cuenta',

  answer: '¿Podemos escribirle?',
  answerLead:
    'Alguien quiere que Trackway le envíe avisos sobre un dispositivo. Usted decide, y con el mismo enlace puede cambiar de opinión.',
  allow: 'Sí, envíenlos',
  refuse: 'No, no me escriban',
  allowed: 'Recibirá los avisos',
  allowedText: (email) => `Se enviarán a ${email}. Para dejar de recibirlos, abra de nuevo este enlace.`,
  refused: 'No recibirá correos',
  refusedText: (email) => `Trackway no volverá a escribir a ${email}, salvo por una cuenta suya.`,

  unconfirmed: (email) =>
    `${email} aún no está confirmada. Los dispositivos compartidos con esta dirección aparecerán después.`,
  waiting: (email) => `Abra el enlace enviado a ${email} para terminar el cambio de dirección.`,
  sendAgain: 'Volver a enviar el enlace',
  sent: (email) => `Va un enlace en camino a ${email}`,

  invite: 'Invitar por correo',
  inviteText: 'Recibe un enlace, válido siete días, para elegir su propia contraseña.',
  inviteSubmit: 'Enviar invitación',
  invited: (email) => `Invitación enviada a ${email}`,
  invitations: 'Invitaciones pendientes',
  fromShare: 'Por un dispositivo compartido',
  expires: 'Caduca',
  expired: 'Caducada',
  resend: 'Volver a enviar',
  resendTo: (email) => `Volver a enviar a ${email}`,
  revoke: (email) => `Revocar la invitación de ${email}`,
  revokeTitle: (email) => `¿Revocar la invitación de ${email}?`,
  revokeText: 'El enlace del correo deja de funcionar al momento.',
  revokeAction: 'Revocar',
  revoked: (email) => `Invitación de ${email} revocada`,
};

import type { Texts } from '../translation.ts';

export const queueProof: Texts['queueProof'] = {
  action: 'Demostrar esta cola',
  missing: 'No se envía nada hasta que demuestre que esta cola es suya.',
  held: 'Otra cuenta usa esta cola. Si es suya, demuéstrelo e inténtelo de nuevo.',
  badge: 'Falta la prueba',
  title: 'Demostrar esta cola',
  sendText: 'Enviamos un mensaje con un código a esta cola. Lea allí el código e introdúzcalo aquí.',
  send: 'Enviar código',
  sent: 'El código está en la cola. Vale una hora.',
  code: 'Código',
  codeHint: 'El valor de «code» en el mensaje.',
  confirm: 'Confirmar',
  again: 'Volver a enviar',
  proven: 'La cola es suya. A partir de ahora se envían los datos.',
  wrongCode: 'Este código es erróneo o demasiado antiguo. Introduzca el último código de la cola o envíe uno nuevo.',
  notSent: (reason) => `No se ha podido enviar el código. ${reason}`,
};

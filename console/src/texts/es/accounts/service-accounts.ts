import type { Texts } from '../../translation.ts';

export const serviceAccounts: Texts['serviceAccounts'] = {
  service: 'Servicio',
  add: 'Añadir cuenta de servicio',
  newTitle: 'Añadir cuenta de servicio',
  lead: 'Una cuenta para un programa. No puede iniciar sesión ni recibe correos; usa la API con tokens que usted crea para ella.',
  name: 'Nombre',
  nameHint: 'Nombra el programa: «Copia de seguridad», «Home Assistant».',
  isAdmin: 'Administrador',
  isAdminHint: 'Sus tokens pueden ver y cambiar todo, de todos los usuarios.',
  create: 'Añadir cuenta de servicio',
  created: (name) => `Se ha añadido ${name}. Cree un token para ella.`,
  editTitle: 'Editar cuenta de servicio',
  tokens: 'Tokens',
  noTokens: 'Aún no hay tokens. Sin uno, esta cuenta no puede hacer nada.',
  addToken: 'Nuevo token',
  sharing: 'Para compartir un dispositivo con esta cuenta, compártalo con la dirección de arriba.',
  resetFactor: 'Quitar segundo factor',
  resetTitle: (name) => `¿Quitar el segundo factor de ${name}?`,
  resetText:
    'Para quien ha perdido su teléfono y sus códigos de recuperación. Se quitan su aplicación de autenticación y sus llaves de acceso, y se cierra su sesión en todas partes. Asegúrese de que es esa persona quien lo pide.',
  resetDone: 'Segundo factor quitado',
};

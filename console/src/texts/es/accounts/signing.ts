import type { Texts } from '../../translation.ts';

export const signing: Texts['signing'] = {
  title: 'Iniciar sesión',
  name: 'Correo electrónico o nombre de usuario',
  password: 'Contraseña',
  stays: 'Mantener la sesión iniciada',
  staysHint: 'Hasta que este navegador lleve dos semanas sin usarse aquí.',
  submit: 'Iniciar sesión',
  failed: 'Nombre o contraseña incorrectos. Compruébelos e inténtelo de nuevo.',
  tooMany: (seconds) =>
    `Demasiados intentos. Espere ${seconds === 1 ? '1 segundo' : `${seconds} segundos`} e inténtelo de nuevo.`,
  expired: 'Su sesión ha caducado. Inicie sesión para continuar.',
  passkey: 'Entrar con llave de acceso',
  noPasskey:
    'No se ha usado ninguna llave de acceso: se canceló, o este dispositivo no tiene ninguna para este servidor.',
  codeTitle: 'Segundo paso',
  codeLead: 'Introduzca el código de su aplicación de autenticación.',
  codeLeadPasskey: 'Confirme con su llave de acceso o introduzca un código de recuperación.',
  code: 'Código',
  codeHint: 'Seis cifras, o un código de recuperación.',
  recoveryCode: 'Código de recuperación',
  usePasskey: 'Usar una llave de acceso',
  wrongCode: 'Este código es erróneo o ya se usó. Espere al siguiente e inténtelo de nuevo.',
  back: 'Atrás',
  passwordNotUsed: 'Su cuenta entra con su proveedor. Use el botón de abajo.',
  openid: {
    failed: 'El inicio de sesión con su proveedor ha fallado. Inténtelo de nuevo.',
    cancelled: 'Se canceló el inicio de sesión con su proveedor.',
    expired: 'El inicio de sesión con su proveedor tardó demasiado. Inténtelo de nuevo.',
    unreachable: 'No se puede acceder a su proveedor ahora mismo. Inténtelo más tarde.',
    unverified: 'Su proveedor no ha verificado su correo, así que no sirve para entrar aquí.',
    domain: 'Las cuentas con este correo no pueden entrar aquí. Pregunte a quien administra este servidor.',
    unknown: 'Aquí no hay ninguna cuenta con su correo. Pida a un administrador que cree una.',
    unconfirmed:
      'Existe una cuenta con su correo, pero la dirección nunca se confirmó. Entre con su contraseña y confírmela primero.',
  },
  setupTitle: 'Configurar Trackway',
  setupLead: 'Cree la primera cuenta. Será de administrador y podrá ver y cambiar todo.',
  email: 'Correo electrónico',
  newPassword: 'Contraseña',
  newPasswordHint: 'Al menos 8 caracteres.',
  setupSubmit: 'Crear cuenta de administrador',
  needsSetup: 'Configurar este servidor',
  needsSetupText:
    'Este servidor aún no tiene cuentas. Abra el enlace de configuración que mostró al iniciarse; contiene /setup#. Si ya no lo tiene, reinicie el servidor para obtener otro.',
  needsSetupDone: 'He abierto el enlace',
  noToken:
    'El enlace está incompleto: falta la parte tras #. Abra el enlace completo que el servidor mostró al iniciarse.',
};

'use strict';

/**
 * The operations that the API bench measures, on LoopBack 3: memory connector, token authentication, access control
 * lists. It reads one JSON object with the data to serve from its standard input, and prints one line of JSON with its
 * address and token.
 */
const loopback = require('loopback');

const ISO_TIME = /^\d{4}-\d\d-\d\dT/;

/** Infers the type of a property from one value. */
function typeOf(value) {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return ISO_TIME.test(value) ? 'date' : 'string';
  return typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'object';
}

function propertiesOf({ id: _, ...example }) {
  const types = Object.entries(example).map(([name, value]) => [name, { type: typeOf(value) }]);
  return { id: { type: 'number', id: true, generated: true }, ...Object.fromEntries(types) };
}

const allow = (property) => ({ principalType: 'ROLE', principalId: '$authenticated', permission: 'ALLOW', property });
const DENY_ALL = { principalType: 'ROLE', principalId: '$everyone', permission: 'DENY' };

function createApp({ reading, config, geofence }) {
  const app = loopback({ localRegistry: true, loadBuiltinModels: true });
  app.set('remoting', { rest: { handleErrors: true }, errorHandler: { log: false } });
  const memory = app.dataSource('memory', { connector: 'memory' });
  const define = (name, properties, options, isPublic) => {
    const model = app.registry.createModel(name, properties, options);
    app.model(model, { dataSource: memory, public: isPublic });
    return model;
  };
  const child = (name, example) => define(name, propertiesOf(example), { base: 'PersistedModel' }, false);
  child('gatewayReading', reading);
  child('deviceConfig', config);
  child('geofence', geofence);
  define(
    'device',
    { id: { type: 'number', id: true }, name: 'string' },
    {
      base: 'PersistedModel',
      plural: 'devices',
      acls: [DENY_ALL, allow('__findById__gatewayReadings'), allow('__get__config')],
      relations: {
        gatewayReadings: { type: 'hasMany', model: 'gatewayReading', foreignKey: 'gatewayId' },
        config: { type: 'hasOne', model: 'deviceConfig', foreignKey: 'deviceId' },
      },
    },
    true,
  );
  define(
    'user',
    {},
    {
      base: 'User',
      plural: 'users',
      acls: [allow('__get__geofences'), allow('__create__geofences')],
      relations: {
        accessTokens: { type: 'hasMany', model: 'AccessToken', foreignKey: 'userId' },
        geofences: { type: 'hasMany', model: 'geofence', foreignKey: 'userId' },
      },
    },
    true,
  );
  app.registry.getModel('AccessToken').settings.relations = {
    user: { type: 'belongsTo', model: 'user', foreignKey: 'userId' },
  };
  for (const name of ['AccessToken', 'ACL', 'Role', 'RoleMapping']) {
    app.model(app.registry.getModel(name), { dataSource: memory, public: false });
  }

  app.enableAuth({ dataSource: memory });
  app.use(loopback.token({ model: app.models.AccessToken }));
  app.use('/api', loopback.rest());
  return app;
}

async function fill({ user, device, gatewayReading, deviceConfig, geofence }, things) {
  const unnumbered = ({ id: _, ...values }) => values;
  const person = await user.create({ email: 'bench@example.com', password: 'bench-password' });
  const { id } = await device.create({ id: 1, name: 'gateway' });
  const { id: readingId } = await gatewayReading.create({ ...unnumbered(things.reading), gatewayId: id });
  await deviceConfig.create({ ...unnumbered(things.config), deviceId: id });
  for (let i = 0; i < things.geofences; i += 1) {
    await geofence.create({ ...unnumbered(things.geofence), userId: person.id });
  }
  const token = await person.createAccessToken(86_400);
  return { token: token.id, userId: person.id, deviceId: id, readingId };
}

async function main() {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  const things = JSON.parse(text);
  const app = createApp(things);
  const filled = await fill(app.models, things);
  const listener = app.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ address: `http://127.0.0.1:${listener.address().port}`, ...filled }));
  });
  process.once('SIGTERM', () => process.exit(0));
}

main();

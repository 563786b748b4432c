const version = new URLSearchParams(location.search).get('version') === '2' ? 'v2' : 'api';
SwaggerUIBundle({
  url: `/${version}/openapi.json`,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: true,
  validatorUrl: null,
});

"""The app manifest, version 2, with its limits. App directory and workflows stay coarse."""

from bot.sandbox.slack.manifest.shapes import Anything, Fields, Flag, Items, Named, Text, Whole

_URL = r"^https?://"
_FLAG, _TEXT = Flag(), Text()
_REQUEST_URL = Text(3500, pattern=_URL)
_PROMPT = Fields({"title": _TEXT, "message": _TEXT}, ("title", "message"))
_SCOPES = Items(Text(50), 255)
_EVENTS = Items(Text(50), 100, is_unique=True)
_DOMAIN = r"^(?![.\-])[-a-z0-9.]*[a-z0-9]$"

_DISPLAY = Fields(
    {
        "name": Text(35, 1),
        "description": Text(140, 1),
        "long_description": Text(4000, 175),
        "background_color": Text(7, 4, r"^#([0-9a-fA-F]{3}){1,2}$"),
    },
    ("name",),
)
_APP_HOME = Fields(
    {
        "home_tab_enabled": _FLAG,
        "messages_tab_enabled": _FLAG,
        "messages_tab_read_only_enabled": _FLAG,
    }
)
_AGENT_VIEW = Fields(
    {
        "agent_description": Text(300),
        "suggested_prompts": Items(_PROMPT, 4),
        "actions": Items(Fields({"name": _TEXT, "description": _TEXT}, ("name", "description"))),
    }
)
_ASSISTANT_VIEW = Fields(
    {"assistant_description": _TEXT, "suggested_prompts": Items(_PROMPT)},
    ("assistant_description",),
)
_SLASH_COMMAND = Fields(
    {
        "command": Text(32, 2, "^/"),
        "description": Text(2000, 1),
        "usage_hint": Text(1000, 1),
        "url": Text(3000, pattern=_URL),
        "should_escape": _FLAG,
    },
    ("command", "description"),
)
_SHORTCUT = Fields(
    {
        "name": Text(24, 1),
        "type": Text(choices=("message", "global")),
        "callback_id": Text(255, 1),
        "description": Text(150, 1),
    },
    ("name", "type", "callback_id", "description"),
)
_FEATURES = Fields(
    {
        "app_home": _APP_HOME,
        "bot_user": Fields(
            {"display_name": Text(80, 1), "always_online": _FLAG}, ("display_name",)
        ),
        "agent_view": _AGENT_VIEW,
        "assistant_view": _ASSISTANT_VIEW,
        "code_channels": Fields({"enabled": _FLAG, "slash_command_url": Text(3000, pattern=_URL)}),
        "slash_commands": Items(_SLASH_COMMAND, 50, 1),
        "shortcuts": Items(_SHORTCUT, 10, 1),
        "unfurl_domains": Items(Text(255, pattern=_DOMAIN), 5, 1, is_unique=True),
        "rich_previews": Fields({"is_active": _FLAG, "entity_types": Items(_TEXT)}),
        "functions": Anything(),
        "workflow_steps": Anything(),
    }
)
_OAUTH = Fields(
    {
        "scopes": Fields(
            {"bot": _SCOPES, "user": _SCOPES, "bot_optional": _SCOPES, "user_optional": _SCOPES}
        ),
        "redirect_urls": Items(Text(2500), 1000, is_unique=True),
        "token_management_enabled": _FLAG,
        "pkce_enabled": _FLAG,
    }
)
_SUBSCRIPTIONS = Fields(
    {
        "request_url": _REQUEST_URL,
        "bot_events": _EVENTS,
        "user_events": _EVENTS,
        "metadata_subscriptions": Items(
            Fields({"app_id": _TEXT, "event_type": Text(50)}, ("app_id", "event_type")), 20, 1
        ),
    }
)
_INTERACTIVITY = Fields(
    {
        "is_enabled": _FLAG,
        "request_url": _REQUEST_URL,
        "message_menu_options_url": _REQUEST_URL,
    },
    ("is_enabled",),
)
_SETTINGS = Fields(
    {
        "event_subscriptions": _SUBSCRIPTIONS,
        "interactivity": _INTERACTIVITY,
        "incoming_webhooks": Fields({"incoming_webhooks_enabled": _FLAG}),
        "org_deploy_enabled": _FLAG,
        "socket_mode_enabled": _FLAG,
        "token_rotation_enabled": _FLAG,
        "is_hosted": _FLAG,
        "is_mcp_enabled": _FLAG,
        "function_runtime": Text(choices=("remote", "slack")),
        "hermes_app_type": _TEXT,
        "siws_links": Fields({"initiate_uri": Text(3500, pattern="^https://")}),
        "allowed_ip_address_ranges": Items(_TEXT, 50, 1, is_unique=True),
    }
)
_AUTH_TYPES = ("dynamic_client_registration", "no_auth", "manual_auth", "slack_identity_auth")
_MCP_SERVER = Fields(
    {
        "url": Text(500, pattern="^https://"),
        "auth_type": Text(choices=_AUTH_TYPES),
        "auth_provider_key": Text(255),
        "headers": Named(_TEXT, 100),
    },
    ("url", "auth_type"),
)

MANIFEST = Fields(
    {
        "$schema": _TEXT,
        "_metadata": Fields(
            {
                "major_version": Whole(),
                "minor_version": Whole(),
                "schema_version": Whole(),
                "min_version": Whole(),
            }
        ),
        "display_information": _DISPLAY,
        "features": _FEATURES,
        "oauth_config": _OAUTH,
        "settings": _SETTINGS,
        "functions": Named(Anything(), 50),
        "workflows": Named(Anything(), 50),
        "datastores": Named(Anything(), 10),
        "outgoing_domains": Items(Text(50, pattern=_DOMAIN), 10, is_unique=True),
        "types": Named(Anything(), 50),
        "external_auth_providers": Anything(),
        "app_directory": Anything(),
        "mcp_servers": Named(_MCP_SERVER, 20),
    },
    ("display_information",),
)

// The short names of common emoji, as Slack has them.

const TABLE = `
  smile=😄 smiley=😃 grinning=😀 grin=😁 laughing=😆 joy=😂 slightly_smiling_face=🙂 wink=😉 blush=😊
  innocent=😇 heart_eyes=😍 star_struck=🤩 kissing_heart=😘 yum=😋 stuck_out_tongue=😛 zany_face=🤪
  hugging_face=🤗 thinking_face=🤔 face_with_raised_eyebrow=🤨 neutral_face=😐 expressionless=😑
  no_mouth=😶 smirk=😏 unamused=😒 face_with_rolling_eyes=🙄 grimacing=😬 relieved=😌 pensive=😔 sleepy=😪
  sleeping=😴 mask=😷 nauseated_face=🤢 exploding_head=🤯 face_with_cowboy_hat=🤠 partying_face=🥳
  sunglasses=😎 nerd_face=🤓 face_with_monocle=🧐 confused=😕 worried=😟 slightly_frowning_face=🙁
  open_mouth=😮 hushed=😯 astonished=😲 flushed=😳 pleading_face=🥺 frowning=😦 anguished=😧 fearful=😨
  cold_sweat=😰 cry=😢 sob=😭 scream=😱 confounded=😖 persevere=😣 disappointed=😞 sweat=😓 weary=😩
  tired_face=😫 yawning_face=🥱 triumph=😤 rage=😡 angry=😠 smiling_imp=😈 skull=💀 clown_face=🤡 ghost=👻
  alien=👽 robot_face=🤖 see_no_evil=🙈 hear_no_evil=🙉 speak_no_evil=🙊 wave=👋 raised_hand=✋
  vulcan_salute=🖖 ok_hand=👌 v=✌️ crossed_fingers=🤞 point_left=👈 point_right=👉 point_up=☝️
  point_down=👇 point_up_2=👆 +1=👍 thumbsup=👍 -1=👎 thumbsdown=👎 fist=✊ facepunch=👊 clap=👏
  raised_hands=🙌 open_hands=👐 handshake=🤝 pray=🙏 writing_hand=✍ muscle=💪 eyes=👀 eye=👁️ brain=🧠
  speaking_head_in_silhouette=🗣 bust_in_silhouette=👤 busts_in_silhouette=👥 man=👨 woman=👩
  technologist=🧑‍💻 detective=🕵️ construction_worker=👷 running=🏃 walking=🚶 dancer=💃 shrug=🤷
  facepalm=🤦 heart=❤️ orange_heart=🧡 yellow_heart=💛 green_heart=💚 blue_heart=💙 purple_heart=💜
  black_heart=🖤 white_heart=🤍 brown_heart=🤎 broken_heart=💔 two_hearts=💕 sparkling_heart=💖
  heavy_heart_exclamation=❣️ 100=💯 anger=💢 boom=💥 collision=💥 dizzy=💫 sweat_drops=💦 dash=💨 hole=🕳
  bomb=💣 speech_balloon=💬 thought_balloon=💭 zzz=💤 dog=🐶 cat=🐱 mouse=🐭 hamster=🐹 rabbit=🐰
  fox_face=🦊 bear=🐻 panda_face=🐼 tiger=🐯 lion_face=🦁 cow=🐮 pig=🐷 frog=🐸 monkey=🐒 chicken=🐔
  penguin=🐧 bird=🐦 owl=🦉 wolf=🐺 horse=🐴 unicorn_face=🦄 bee=🐝 bug=🐛 butterfly=🦋 snail=🐌 turtle=🐢
  snake=🐍 octopus=🐙 whale=🐳 dolphin=🐬 fish=🐟 shark=🦈 elephant=🐘 cactus=🌵 christmas_tree=🎄
  evergreen_tree=🌲 palm_tree=🌴 seedling=🌱 herb=🌿 four_leaf_clover=🍀 maple_leaf=🍁 mushroom=🍄
  bouquet=💐 tulip=🌷 rose=🌹 sunflower=🌻 apple=🍎 green_apple=🍏 banana=🍌 watermelon=🍉 grapes=🍇
  strawberry=🍓 cherries=🍒 peach=🍑 pineapple=🍍 avocado=🥑 tomato=🍅 corn=🌽 carrot=🥕 bread=🍞 egg=🍳
  bacon=🥓 hamburger=🍔 pizza=🍕 taco=🌮 sushi=🍣 cookie=🍪 cake=🍰 birthday=🎂 chocolate_bar=🍫 doughnut=🍩
  coffee=☕ tea=🍵 beer=🍺 beers=🍻 wine_glass=🍷 cocktail=🍸 earth_africa=🌍 earth_americas=🌎
  earth_asia=🌏 globe_with_meridians=🌐 world_map=🗺️ compass=🧭 mountain=⛰ volcano=🌋 camping=🏕
  house=🏠 office=🏢 hospital=🏥 bank=🏦 factory=🏭 bridge_at_night=🌉 car=🚗 taxi=🚕 bus=🚌 ambulance=🚑
  fire_engine=🚒 police_car=🚓 truck=🚚 tractor=🚜 bike=🚲 railway_car=🚃 train=🚋 bullettrain_front=🚅
  airplane=✈️ rocket=🚀 satellite=📡 ship=🚢 boat=⛵ anchor=⚓ construction=🚧 vertical_traffic_light=🚦
  fuelpump=⛽ hourglass=⌛ hourglass_flowing_sand=⏳ watch=⌚ alarm_clock=⏰ stopwatch=⏱️
  timer_clock=⏲️ clock1=🕐 clock3=🕒 clock6=🕕 clock9=🕘 clock12=🕛 new_moon=🌑 full_moon=🌕
  sun_with_face=🌞 sunny=☀️ star=⭐ star2=🌟 partly_sunny=⛅ cloud=☁️ snowflake=❄️ umbrella=☂️ zap=⚡
  fire=🔥 droplet=💧 ocean=🌊 rainbow=🌈 jack_o_lantern=🎃 fireworks=🎆 sparkler=🎇 sparkles=✨ balloon=🎈
  tada=🎉 confetti_ball=🎊 gift=🎁 ribbon=🎀 ticket=🎫 trophy=🏆 sports_medal=🏅 soccer=⚽ basketball=🏀
  dart=🎯 video_game=🎮 game_die=🎲 jigsaw=🧩 art=🎨 performing_arts=🎭 musical_note=🎵 headphones=🎧
  microphone=🎤 crown=👑 gem=💎 bell=🔔 no_bell=🔕 loudspeaker=📢 mega=📣 iphone=📱 telephone=☎️ phone=☎️
  battery=🔋 electric_plug=🔌 computer=💻 desktop_computer=🖥️ keyboard=⌨️ printer=🖨 floppy_disk=💾
  cd=💿 camera=📷 tv=📺 mag=🔍 mag_right=🔎 bulb=💡 flashlight=🔦 candle=🕯 closed_book=📕 open_book=📖
  books=📚 notebook=📓 ledger=📒 newspaper=📰 bookmark=🔖 label=🏷️ moneybag=💰 dollar=💵 euro=💶
  credit_card=💳 chart=💹 chart_with_upwards_trend=📈 chart_with_downwards_trend=📉 bar_chart=📊
  email=✉️ envelope=✉️ incoming_envelope=📨 inbox_tray=📥 outbox_tray=📤 package=📦 mailbox=📫 pencil=📝
  pencil2=✏️ memo=📝 briefcase=💼 file_folder=📁 open_file_folder=📂 card_index_dividers=🗂 date=📅
  calendar=📆 clipboard=📋 pushpin=📌 round_pushpin=📍 paperclip=📎 straight_ruler=📏 scissors=✂️
  wastebasket=🗑️ lock=🔒 unlock=🔓 lock_with_ink_pen=🔏 closed_lock_with_key=🔐 key=🔑 old_key=🗝
  hammer=🔨 axe=🪓 pick=⛏ hammer_and_wrench=🛠️ wrench=🔧 gear=⚙️ nut_and_bolt=🔩 scales=⚖️ link=🔗
  chains=⛓️ toolbox=🧰 magnet=🧲 test_tube=🧪 microscope=🔬 telescope=🔭 satellite_antenna=📡 syringe=💉
  pill=💊 door=🚪 broom=🧹 thread=🧵 warning=⚠️ no_entry=⛔ no_entry_sign=🚫 stop_sign=🛑
  octagonal_sign=🛑 radioactive_sign=☢️ biohazard_sign=☣️ arrow_up=⬆️ arrow_upper_right=↗️
  arrow_right=➡️ arrow_down=⬇️ arrow_left=⬅️ arrows_counterclockwise=🔄 arrows_clockwise=🔃 back=🔙
  soon=🔜 top=🔝 recycle=♻ white_check_mark=✅ ballot_box_with_check=☑️ heavy_check_mark=✔️ x=❌
  negative_squared_cross_mark=❎ heavy_plus_sign=➕ heavy_minus_sign=➖ curly_loop=➰ interrobang=⁉️
  question=❓ grey_question=❔ exclamation=❗ grey_exclamation=❕ bangbang=‼️ information_source=ℹ️
  copyright=©️ registered=®️ tm=™️ hash=#️⃣ zero=0️⃣ one=1️⃣ two=2️⃣ three=3️⃣ four=4️⃣ five=5️⃣
  six=6️⃣ seven=7️⃣ eight=8️⃣ nine=9️⃣ 1234=🔢 abc=🔤 sos=🆘 new=🆕 free=🆓 ok=🆗 up=🆙 cool=🆒
  red_circle=🔴 large_orange_circle=🟠 large_yellow_circle=🟡 large_green_circle=🟢
  large_blue_circle=🔵 large_purple_circle=🟣 black_circle=⚫ white_circle=⚪ red_square=🟥
  large_orange_square=🟧 large_yellow_square=🟨 large_green_square=🟩 large_blue_square=🟦
  large_purple_square=🟪 black_large_square=⬛ white_large_square=⬜ black_small_square=▪️
  white_small_square=▫️ small_blue_diamond=🔹 large_blue_diamond=🔷 large_orange_diamond=🔶
  radio_button=🔘 white_flag=🏳️ black_flag=🏴 checkered_flag=🏁 triangular_flag_on_post=🚩
  rotating_light=🚨 arrow_forward=▶️ double_vertical_bar=⏸️ black_square_for_stop=⏹️ fast_forward=⏩
  rewind=⏪ repeat=🔁 twisted_rightwards_arrows=🔀 bookmark_tabs=📑 page_facing_up=📄 page_with_curl=📃
  scroll=📜 receipt=🧾 mailbox_with_mail=📬 stethoscope=🩺 dna=🧬 lab_coat=🥼 safety_vest=🦺 ladder=🪜
  brick=🧱
  rofl=🤣 upside_down_face=🙃 cheese_wedge=🧀 hotdog=🌭 champagne=🍾 rain_cloud=🌧️ first_place_medal=🥇
  second_place_medal=🥈 third_place_medal=🥉 keycap_ten=🔟 poop=💩 melting_face=🫠 saluting_face=🫡
`;

/** Short name to character. */
export const CHARACTERS = new Map(
  TABLE.trim()
    .split(/\s+/)
    .map((entry) => entry.split("=")),
);

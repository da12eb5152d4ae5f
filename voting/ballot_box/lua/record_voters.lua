-- Record voters of an event by voter code, so that organizers can list them and only act on phones that exist.
-- KEYS: voters. It expires 30 days after the last change.
-- ARGV: gateway; most voters to record; 1 if they are connected to this gateway, else 0; in MessagePack, for each
--   voter: code, team, voter id.
-- A row is 'team gateway voter', without the gateway's name once the voter has disconnected.
-- A voter who has meanwhile connected to another gateway stays connected. Returns the number of recorded voters.
local here, voters = ARGV[3] == '1', cmsgpack.unpack(ARGV[4])
local codes, rows = {}, {}
for i = 1, #voters, 3 do
  codes[#codes + 1] = voters[i]
end
local known = redis.call('HMGET', KEYS[1], unpack(codes))
local recorded = redis.call('HLEN', KEYS[1])
for n = 1, #codes do
  local i = 3 * n - 2
  local is_elsewhere = known[n] and not here and string.match(known[n], '^%d+ (%S*)') ~= ARGV[1]
  if not is_elsewhere and (known[n] or recorded < tonumber(ARGV[2])) then
    rows[#rows + 1] = voters[i]
    rows[#rows + 1] = voters[i + 1] .. ' ' .. (here and ARGV[1] or '') .. ' ' .. voters[i + 2]
    recorded = recorded + (known[n] and 0 or 1)
  end
end
if #rows > 0 then
  redis.call('HSET', KEYS[1], unpack(rows))
end
redis.call('PEXPIRE', KEYS[1], 30 * 24 * 3600 * 1000)
return recorded

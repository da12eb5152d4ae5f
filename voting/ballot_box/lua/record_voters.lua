-- Record voters of an event by voter code, so that organizers can list them and only act on phones that exist.
-- KEYS: voters. It expires 30 days after the last change.
-- ARGV: gateway; most voters to record; then for each voter: code, team, voter id, 1 if connected to this gateway,
--   else 0.
-- A row is 'team gateway voter', without the gateway's name once the voter has disconnected.
-- A voter who has meanwhile connected to another gateway stays connected. Returns the number of recorded voters.
local codes, rows = {}, {}
for i = 3, #ARGV, 4 do
  codes[#codes + 1] = ARGV[i]
end
local known = redis.call('HMGET', KEYS[1], unpack(codes))
local recorded = redis.call('HLEN', KEYS[1])
for n = 1, #codes do
  local i = 4 * n - 1
  local here = ARGV[i + 3] == '1'
  local is_elsewhere = known[n] and not here and string.match(known[n], '^%d+ (%S*)') ~= ARGV[1]
  if not is_elsewhere and (known[n] or recorded < tonumber(ARGV[2])) then
    rows[#rows + 1] = ARGV[i]
    rows[#rows + 1] = ARGV[i + 1] .. ' ' .. (here and ARGV[1] or '') .. ' ' .. ARGV[i + 2]
    recorded = recorded + (known[n] and 0 or 1)
  end
end
if #rows > 0 then
  redis.call('HSET', KEYS[1], unpack(rows))
end
redis.call('PEXPIRE', KEYS[1], 30 * 24 * 3600 * 1000)
return recorded
